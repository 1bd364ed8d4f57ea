// That every failure is the one Error: as written, since a copy of the schema would be another one to
// whoever generates code. Followed through the references of answers, which others may share.

const error = "#/components/schemas/Error";

/** @typedef {{ $ref?: string, content?: Record<string, { schema?: { $ref?: string } }> }} Answer */

/**
 * Holds the answers of an operation from 400 on, and its default, to Error; a function of Spectral.
 * @param {Record<string, Answer>} responses
 * @param {null} _
 * @param {{ path: (string | number)[], document: { data: unknown } }} context
 */
export default function errorAnswers(responses, _, { path, document }) {
  return Object.entries(responses).flatMap(([status, answer]) => {
    if (!/^([45]|default)/.test(status)) return [];
    const types = Object.entries(follow(answer, document.data).content ?? {});
    const good = types.every(([type, { schema }]) => type === "application/json" && schema?.$ref === error);
    return types.length > 0 && good
      ? []
      : [{ message: `${status} must be ${error} as application/json alone`, path: [...path, status] }];
  });
}

/**
 * @param {Answer} answer
 * @param {any} document
 * @returns {Answer}
 */
function follow({ $ref, ...answer }, document) {
  const steps = $ref?.slice("#/".length).split("/");
  return steps ? follow(steps.reduce((part, step) => part?.[step], document) ?? {}, document) : answer;
}
