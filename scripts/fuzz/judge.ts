// Whether the answers of a case are as the document says: of their own operations, where these are known.
import type { HttpResponse } from "../../test/support/responses.ts";
import type { Case } from "./cases.ts";

// What torn bytes can have asked for; their refusals are of no operation.
const operations = [
  ["GET", "/v1/pets"],
  ["POST", "/v1/pets"],
  ["GET", "/v1/pets/1"],
];

/** Throws where there are too many, where one is of a fault, and where one is not as the document says. */
export function judge(
  { requests, most }: Case,
  answers: readonly HttpResponse[],
  check: (method: string, path: string, answer: HttpResponse) => void,
): void {
  if (answers.length > most) throw new Error(`${answers.length} answers, and ${most} requests at most`);
  for (const [index, answer] of answers.entries()) {
    const { status, text } = answer;
    if (status >= 500) throw new Error(`it fails: ${status} ${text}`);
    const request = requests[index];
    if (request === undefined) {
      const all = status < 300 ? operations : [["", ""]];
      const wrong = all.map(([method = "", path = ""]) => tryTo(() => check(method, path, answer)));
      if (wrong.every((one) => one !== undefined)) throw wrong[0];
      continue;
    }
    const { method, path, valid, headers } = request;
    // Without a body it does not show whether it came as far as an operation.
    if (method === "HEAD" && (status === 400 || status === 431)) continue;
    check(method, path, answer);
    const isKeyed = headers.some(([name]) => name === "Idempotency-Key");
    const allowed = method === "POST" ? [201, ...(isKeyed ? [422] : [])] : [200, ...(path === "/v1/pets" ? [] : [404])];
    if (valid && !allowed.includes(status))
      throw new Error(`${method} ${path} as the document has it: ${status} ${text}`);
  }
}

function tryTo(work: () => void): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
