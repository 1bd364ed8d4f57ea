// Spectral function: error responses refer to the schema Error. A copy of the schema is rejected, because code
// generators make another type of it. The rule runs on the unresolved document, so that this function follows
// references of responses itself.

const error = "#/components/schemas/Error";

/** @typedef {{ $ref?: string, content?: Record<string, { schema?: { $ref?: string } }> }} Response */

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
    return types.length > 0 && isValid
      ? []
      : [{ message: `${status} must have only application/json with ${error}`, path: [...path, status] }];
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
