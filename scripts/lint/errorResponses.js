// Spectral function: error responses refer to the schema Error, and have an example of each code. A copy of the schema is rejected, because code
// generators make another type of it. The rule runs on the unresolved document, so that this function follows
// references of responses itself.

const error = "#/components/schemas/Error";

/** @typedef {Record<string, { value: { code: string, status: number } }>} Examples */
/** @typedef {{ $ref?: string, content?: Record<string, { schema?: { $ref?: string }, examples?: Examples }> }} Response */

/**
 * Checks the responses of an operation with a status of 400 or higher, and its default response.
 * @param {Record<string, Response>} responses
 * @param {null} _
 * @param {{ path: (string | number)[], document: { data: unknown } }} context
 */
export default function errorResponses(responses, _, { path, document }) {
  return Object.entries(responses).flatMap(([status, response]) => {
    if (!/^([45]|default)/.test(status)) return [];
    const types = Object.entries(resolve(response, document.data).content ?? {});
    const isValid = types.every(([type, { schema }]) => type === "application/json" && schema?.$ref === error);
    if (types.length === 0 || !isValid)
      return [{ message: `${status} must have only application/json with ${error}`, path: [...path, status] }];
    const examples = Object.entries(types[0]?.[1].examples ?? {});
    const isNamed = examples.every(
      ([name, { value }]) => name === value.code && (status === "default" || `${value.status}` === status),
    );
    return examples.length > 0 && isNamed
      ? []
      : [{ message: `${status} must have an example of each code, with its name`, path: [...path, status] }];
  });
}

/**
 * @param {Response} response
 * @param {any} document
 * @returns {Response}
 */
function resolve({ $ref, ...response }, document) {
  const tokens = $ref?.slice("#/".length).split("/");
  return tokens ? resolve(tokens.reduce((part, token) => part?.[token], document) ?? {}, document) : response;
}
