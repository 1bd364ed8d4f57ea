// The pets that there must be: each that was answered, as it was answered, and beside them at most
// those whose answer went to a client that no longer listened.
import { isDeepStrictEqual } from "node:util";
import type { HttpResponse } from "../../test/support/responses.ts";
import type { Case } from "./cases.ts";
import { canary } from "./hidden.ts";

/** Notes what was answered, and holds the store to it. Each throws where the two don't agree. */
export interface Ledger {
  /** Notes the answers of a case. */
  note(sent: Case, answers: readonly HttpResponse[], lost: boolean): void;
  /** Reads all pets, by `get`, and gives how many there are. */
  audit(get: (path: string) => Promise<HttpResponse>): Promise<number>;
}

const isCreated = ({ status, text }: HttpResponse) => status === 201 && text !== "";

/** A ledger of an empty store. */
export function openLedger(): Ledger {
  const pets = new Map<string, string>(); // by id, as JSON
  const byKey = new Map<string, string>(); // Idempotency-Key to id
  const lost = new Map<string, number>(); // names, and how often they were sent

  const note: Ledger["note"] = ({ requests, bytes }, answers, unread) => {
    for (const [index, answer] of answers.entries()) {
      if (!isCreated(answer)) continue;
      const { text } = answer;
      const pet = answer.body as { id: number; name: string; categoryId: number | bigint };
      const id = String(pet.id);
      if (pet.name === canary) throw new Error(`a hidden request was executed: ${text}`);
      const request = requests[index];
      if (request?.valid) {
        const sent = Object.fromEntries(request.fields.map(([name, value]) => [JSON.parse(name), value]));
        const got = { ...pet, categoryId: String(pet.categoryId), id: undefined };
        const asked = {
          id: undefined,
          ...sent,
          name: JSON.parse(sent.name),
          ...(sent.status && { status: JSON.parse(sent.status) }),
        };
        if (!isDeepStrictEqual(got, asked)) throw new Error(`another pet was made: ${text}`);
      }
      const keys = request?.headers.filter(([name]) => name === "Idempotency-Key").map(([, key]) => key) ?? [];
      const key = keys.length === 1 ? (keys[0] as string) : undefined;
      const first = key === undefined ? undefined : byKey.get(key);
      if (first !== undefined && first !== id) throw new Error(`the key ${key} made ${first} and ${id}`);
      if (key !== undefined) byKey.set(key, id);
      // Torn bytes may hold a key, too.
      const repeats = requests.length === 0 ? /idempotency-key/i.test(String(bytes)) : key !== undefined;
      if (pets.has(id) && (!repeats || pets.get(id) !== text)) throw new Error(`the id ${id} was given twice: ${text}`);
      pets.set(id, text);
    }
    if (!unread) return;
    // Each where it begins: one without an end would take the next one in.
    for (const [, literal = ""] of String(bytes).matchAll(/(?="name":("(?:[^"\\]|\\.)*"))/g)) {
      const name = toName(literal);
      if (name !== undefined) lost.set(name, (lost.get(name) ?? 0) + 1);
    }
  };

  const audit: Ledger["audit"] = async (get) => {
    let seen = 0;
    for (let next: string | undefined = "/v1/pets?limit=100"; next !== undefined; ) {
      const { text, headers } = await get(next);
      const page = JSON.parse(text) as { id: number; name: string }[];
      for (const { id, name } of page) {
        if (pets.has(String(id))) continue;
        const left = lost.get(name) ?? 0;
        if (left === 0 || name === canary)
          throw new Error(`nobody is known to have made the pet ${id} named ${JSON.stringify(name)}`, { cause: name });
        lost.set(name, left - 1);
        pets.set(String(id), (await get(`/v1/pets/${id}`)).text);
      }
      const expected = `[${page.map(({ id }) => pets.get(String(id)))}]`;
      if (text !== expected) throw new Error(`a page is not what was answered before: ${text}`);
      seen += page.length;
      next = /<([^>]+)>; rel="next"/.exec(headers.link ?? "")?.[1];
    }
    if (seen !== pets.size) throw new Error(`of ${pets.size} pets ${seen} are there`);
    return seen;
  };
  return { note, audit };
}

function toName(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
