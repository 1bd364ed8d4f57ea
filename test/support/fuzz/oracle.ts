// Decides whether the responses of a case conform to the document.
import type { HttpResponse } from "../responses.ts";
import type { Case } from "./cases.ts";

// Operations that corrupted bytes can call. Their errors belong to no operation.
const operations = [
  ["GET", "/v1/pets"],
  ["POST", "/v1/pets"],
  ["GET", "/v1/pets/1"],
];

/** Returns whether the service rejected the request only because it is overloaded, as on a machine with other load. */
export function isLoadShedding({ status, text }: HttpResponse): boolean {
  return status === 503 && (text === "" || text.includes("overloaded")); // the response to HEAD has no body
}

/**
 * Throws an Error if there are too many responses, if a response is a server error, if it violates the document, or if
 * it rejects a valid request. Load shedding is not an error, and neither is 501, the response to an unknown method.
 */
export function checkResponses(
  { requests, maxResponses }: Case,
  responses: readonly HttpResponse[],
  check: (method: string, path: string, response: HttpResponse) => void,
): void {
  if (responses.length > maxResponses)
    throw new Error(`${responses.length} responses to at most ${maxResponses} requests`);
  for (const [index, response] of responses.entries()) {
    const { status, text } = response;
    if (status >= 500 && status !== 501 && !isLoadShedding(response))
      throw new Error(`a server error: ${status} ${text}`);
    const request = requests[index];
    if (request === undefined) {
      checkUnknownOperation(response, check);
      continue;
    }
    const { method, path, isValid, headers } = request;
    // Without a body, the response does not show whether the request reached an operation.
    if (method === "HEAD" && (status === 400 || status === 431)) continue;
    check(method, path, response);
    const hasKey = headers.some(([name]) => name === "Idempotency-Key");
    const expected = method === "POST" ? [201, ...(hasKey ? [422] : [])] : [200, ...(path === "/v1/pets" ? [] : [404])];
    if (isValid && !expected.includes(status) && !isLoadShedding(response))
      throw new Error(`${method} ${path} is valid, but the response is ${status} ${text}`);
  }
}

function checkUnknownOperation(
  response: HttpResponse,
  check: (method: string, path: string, response: HttpResponse) => void,
): void {
  const candidates = response.status < 300 ? operations : [["", ""]];
  const errors = candidates.map(([method = "", path = ""]) => catchError(() => check(method, path, response)));
  if (errors.every((error) => error !== undefined)) throw errors[0];
}

function catchError(work: () => void): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
