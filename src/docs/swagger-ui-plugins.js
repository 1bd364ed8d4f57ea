// What runs in the browser, at /docs: each function is handed over as its text, so it uses nothing
// from outside itself.

/**
 * A plugin of Swagger UI: badges beside the path of an operation, from what the document says of it.
 * @typedef {{ getIn(path: (string | undefined)[]): string | undefined }} Tree
 * @param {{ React: { createElement: Function, Fragment: unknown } }} system
 */
export function badges({ React: { createElement, Fragment } }) {
  /** @type {(date: string) => string} */
  const say = (date) => new Date(date).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  /** @type {(text: string, kind: string) => unknown} */
  const badge = (text, kind) => createElement("span", { key: kind, className: `badge badge-${kind}` }, text);
  /** @type {(Path: unknown, system: { specSelectors: { specJson(): Tree } }) => (props: { operationProps: Tree }) => unknown} */
  const withBadges =
    (Path, { specSelectors }) =>
    (props) => {
      const [path, method] = ["path", "method"].map((name) => props.operationProps.getIn([name]));
      /** @type {(name: string) => string | undefined} */
      const field = (name) => specSelectors.specJson().getIn(["paths", path, method, name]);
      const [stability, sunset, successor] = ["x-stability", "x-sunset", "x-successor"].map(field);
      return createElement(
        Fragment,
        null,
        createElement(Path, props),
        stability && badge(stability, "stability"),
        sunset && badge(`removed on ${say(sunset)}`, "sunset"),
        successor && badge(`use ${successor}`, "successor"),
      );
    };
  return { wrapComponents: { OperationSummaryPath: withBadges } };
}

/**
 * Keeps int64 exact. Swagger UI parses an answer to lay it out, and would show a rounded number: in
 * its page JSON.parse keeps such a number as its text, which JSON.stringify writes again.
 */
export function keepNumbers() {
  const parse = JSON.parse;
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const exact = (_, value, { source } = {}) =>
    // @ts-expect-error TypeScript 5 does not know rawJSON
    Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value;
  JSON.parse = (text, reviver) => parse(text, reviver ?? exact);
}
