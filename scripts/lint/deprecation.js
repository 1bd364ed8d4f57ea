// What .spectral.yaml can't say by itself of a deprecated operation: dates in their order, and a
// successor that exists.

/** @typedef {{ operationId?: string, "x-deprecated-since"?: string, "x-sunset"?: string, "x-successor"?: string }} Operation */
/** @typedef {{ paths: Record<string, Record<string, Operation>> }} Document */

/**
 * What is wrong, or true where nothing is.
 * @type {Record<string, (operation: Operation, document: Document) => string | true>}
 */
const checks = {
  since: ({ "x-deprecated-since": since }) => isDate(since) || "x-deprecated-since must be a date like 2026-11-20",
  sunset: ({ "x-deprecated-since": since, "x-sunset": sunset }) => {
    if (!isDate(sunset)) return "x-sunset must be a date like 2030-12-05";
    return !isDate(since) || sunset >= since || `x-sunset ${sunset} is before x-deprecated-since ${since}`;
  },
  successor: ({ operationId, "x-successor": successor }, { paths }) => {
    const operations = Object.values(paths).flatMap((item) => Object.values(item ?? {}));
    const others = operations.map((operation) => operation?.operationId).filter((id) => id !== operationId);
    const named = successor !== undefined && others.includes(successor);
    return named || `x-successor must name another operation, and ${successor} is none`;
  },
  passed: ({ operationId, "x-sunset": sunset = "" }) => {
    const passed = isDate(sunset) && sunset < new Date().toISOString().slice(0, 10);
    return !passed || `the sunset of ${operationId}, ${sunset}, has passed: remove it`;
  },
};

/**
 * The check that the options name, of an operation; a function of Spectral.
 * @param {Operation} operation
 * @param {{ check: string }} options
 * @param {{ document: { data: unknown } }} context
 */
export default function deprecation(operation, { check }, { document }) {
  const result = checks[check]?.(operation, /** @type {Document} */ (document.data));
  return typeof result === "string" ? [{ message: result }] : [];
}

/** @type {(text: string | undefined) => text is string} */
function isDate(text) {
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === text;
}
