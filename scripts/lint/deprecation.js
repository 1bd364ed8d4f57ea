// Spectral function: checks the extensions of deprecated operations beyond the core functions of Spectral, such as the
// order of dates and the existence of a successor.

/**
 * @typedef {{ operationId?: string, "x-deprecated-since"?: string, "x-sunset"?: string, "x-successor"?: string }}
 * Operation
 */
/** @typedef {{ paths: Record<string, Record<string, Operation>> }} Document */

/**
 * The checks, by name. Each returns a message, or true if there is no finding.
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
    const exists = successor !== undefined && others.includes(successor);
    return exists || `x-successor must be the operationId of another operation; it is ${successor}`;
  },
  passed: ({ operationId, "x-sunset": sunset = "" }) => {
    const hasPassed = isDate(sunset) && sunset < new Date().toISOString().slice(0, 10);
    return !hasPassed || `the sunset of ${operationId}, ${sunset}, has passed: remove the operation`;
  },
};

/**
 * Runs the check `options.check` on an operation.
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
