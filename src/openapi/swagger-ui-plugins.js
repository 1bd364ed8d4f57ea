// Code that runs in the browser, at /docs. Each function is sent as its source text, so it must use nothing outside
// itself.

/**
 * A plugin of Swagger UI that shows stability, sunset and successor of an operation beside its path.
 * @typedef {{ getIn(path: (string | undefined)[]): string | undefined }} Tree
 * @param {{ React: { createElement: Function, Fragment: unknown } }} system
 */
export function badges({ React: { createElement, Fragment } }) {
  /** @type {(date: string) => string} */
  const formatDate = (date) => new Date(date).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  /** @type {(text: string, kind: string) => unknown} */
  const badge = (text, kind) => createElement("span", { key: kind, className: `badge badge-${kind}` }, text);
  /**
   * @type {(Path: unknown, system: { specSelectors: { specJson(): Tree } }) => (props: { operationProps: Tree }) =>
   * unknown}
   */
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
        sunset && badge(`removed on ${formatDate(sunset)}`, "sunset"),
        successor && badge(`use ${successor} instead`, "successor"),
      );
    };
  return { wrapComponents: { OperationSummaryPath: withBadges } };
}

/**
 * Keeps int64 exact. Swagger UI parses responses to format them, which would round large integers. This makes
 * JSON.parse keep the digits of such an integer, and JSON.stringify write them unchanged.
 */
export function preserveLargeIntegers() {
  const parse = JSON.parse;
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const exact = (_, value, { source } = {}) =>
    // @ts-expect-error TypeScript 5 has no type for rawJSON
    Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value;
  JSON.parse = (text, reviver) => parse(text, reviver ?? exact);
}
