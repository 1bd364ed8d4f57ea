// Records the pets of responses, and audits the store: it must contain each of these pets unchanged, and no other pets
// except those whose response was lost.
import { isDeepStrictEqual } from "node:util";
import type { HttpResponse } from "../responses.ts";
import type { Case } from "./cases.ts";
import { type Request, serializeFields } from "./requests.ts";
import { canary } from "./smuggling.ts";

interface CreatedPet {
  id: number;
  name: string;
}

/** The ledger of a store that is empty at the start. */
export class Ledger {
  readonly #pets = new Map<string, string>(); // JSON by id
  readonly #idsByKey = new Map<string, string>();
  readonly #lostNames = new Map<string, number>(); // names in requests whose response was lost, with their number

  /** Records the responses of a case. Throws an Error if they contradict earlier ones. */
  record(sent: Case, responses: readonly HttpResponse[], isLost: boolean): void {
    for (const [index, response] of responses.entries())
      if (response.status === 201 && response.text !== "") this.#recordPet(sent, sent.requests[index], response);
    if (isLost) this.#recordLostNames(sent.bytes);
  }

  #recordPet({ requests, bytes }: Case, request: Request | undefined, { body, text }: HttpResponse): void {
    const pet = body as CreatedPet;
    const id = String(pet.id);
    if (pet.name === canary) throw new Error(`a smuggled request was executed: ${text}`);
    if (request?.isValid && !matches(text, request)) throw new Error(`a different pet was created: ${text}`);
    const keys = request?.headers.filter(([name]) => name === "Idempotency-Key").map(([, key]) => key) ?? [];
    const key = keys.length === 1 ? (keys[0] as string) : undefined;
    const previousId = key === undefined ? undefined : this.#idsByKey.get(key);
    if (previousId !== undefined && previousId !== id)
      throw new Error(`the key ${key} created ${previousId} and ${id}`);
    if (key !== undefined) this.#idsByKey.set(key, id);
    // Corrupted bytes may contain a key, too.
    const isRepeatable = requests.length === 0 ? /idempotency-key/i.test(String(bytes)) : key !== undefined;
    if (this.#pets.has(id) && (!isRepeatable || this.#pets.get(id) !== text))
      throw new Error(`the id ${id} was assigned twice: ${text}`);
    this.#pets.set(id, text);
  }

  #recordLostNames(bytes: Buffer): void {
    // The lookahead finds overlapping matches: a string without an end could contain the next one.
    for (const [, literal = ""] of String(bytes).matchAll(/(?="name":("(?:[^"\\]|\\.)*"))/g)) {
      const name = parseString(literal);
      if (name !== undefined) this.#lostNames.set(name, (this.#lostNames.get(name) ?? 0) + 1);
    }
  }

  /** Reads all pets with `get`, and returns their number. Rejects if they differ from the recorded pets. */
  async audit(get: (path: string) => Promise<HttpResponse>): Promise<number> {
    let count = 0;
    for (let next: string | undefined = "/v1/pets?limit=100"; next !== undefined; ) {
      const { text, headers } = await get(next);
      const page = JSON.parse(text) as { id: number; name: string }[];
      for (const { id, name } of page) {
        if (this.#pets.has(String(id))) continue;
        const left = this.#lostNames.get(name) ?? 0;
        if (left === 0 || name === canary)
          throw new Error(`no request created the pet ${id} named ${JSON.stringify(name)}`, { cause: name });
        this.#lostNames.set(name, left - 1);
        this.#pets.set(String(id), (await get(`/v1/pets/${id}`)).text);
      }
      const expected = `[${page.map(({ id }) => this.#pets.get(String(id)))}]`;
      if (text !== expected) throw new Error(`a page differs from earlier responses: ${text}`);
      count += page.length;
      next = /<([^>]+)>; rel="next"/.exec(headers.link ?? "")?.[1];
    }
    if (count !== this.#pets.size) throw new Error(`the store has ${count} of ${this.#pets.size} pets`);
    return count;
  }
}

// Whether a pet in a response has exactly the fields of its request, and an id.
function matches(text: string, request: Request): boolean {
  const { id, ...pet } = parseExactly(text);
  return id !== undefined && isDeepStrictEqual(pet, parseExactly(serializeFields(request)));
}

// Parses an object whose numbers are their digits.
function parseExactly(text: string): Record<string, unknown> {
  type Reviver = (name: string, value: unknown) => unknown; // TypeScript 5 does not know the third argument
  const toDigits = (_: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" ? { digits: source } : value;
  return JSON.parse(text, toDigits as Reviver);
}

function parseString(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
