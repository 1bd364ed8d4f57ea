// Calls of the service, each answer held to the document and to the model of what must be there.
import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { send } from "../../test/support/http.ts";
import { createResponseCheck, type HttpResponse } from "../../test/support/responses.ts";
import type { Model, Pet } from "./model.ts";

const patience = 60_000; // milliseconds that a page is asked for again
const mostComplaints = 20;

export interface Tally {
  requests: number;
  /** A 503, or no connection: the call may be made again. */
  refused: number;
  /** Answers that are not as the document says, and calls without any. */
  outside: number;
  /** Answers that contradict the model. */
  wrong: number;
  /** What was found, the first of it. */
  complaints: string[];
}

export interface Call {
  method: string;
  path: string;
  /** The status that its answer must have. */
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** Another key, or none at all. */
  key?: string | false;
}

export interface Caller {
  readonly tally: Tally;
  /** Notes what must not be. */
  complain(kind: "outside" | "wrong", text: string): undefined;
  /** Its answer; nothing where it was refused or wrong, which is in the tally then. */
  call(call: Call): Promise<HttpResponse | undefined>;
  /** Complains of a pet that can't be as it was shown. */
  show(pet: Pet): void;
  /** The pages of a list, by their links. A page that is refused is asked for again. */
  pages(query: string): AsyncGenerator<Pet[]>;
  /** Closes the connections. */
  close(): void;
}

/** Makes the caller of the service at `origin`, with connections that it keeps. */
export async function buildCaller(origin: string, mainKey: string, document: string, model: Model): Promise<Caller> {
  const check = await createResponseCheck(document);
  const agent = new Agent({ keepAlive: true });
  const tally: Tally = { requests: 0, refused: 0, outside: 0, wrong: 0, complaints: [] };

  const complain: Caller["complain"] = (kind, text) => {
    tally[kind] += 1;
    if (tally.complaints.length < mostComplaints) tally.complaints.push(`${kind}: ${text}`);
  };
  const refuse = async () => {
    tally.refused += 1;
    await pause(20);
    return undefined;
  };

  const call: Caller["call"] = async ({ method, path, status, headers, body, key = mainKey }) => {
    tally.requests += 1;
    const authorization = key === false ? {} : { authorization: `Bearer ${key}` };
    let answer: HttpResponse;
    try {
      answer = await send(`${origin}${path}`, { agent, method, headers: { ...authorization, ...headers } }, body);
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (["ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(code)) return refuse();
      return complain("outside", `${method} ${path}: ${error}`);
    }
    try {
      check(method, path, answer);
    } catch (error) {
      return complain("outside", (error as Error).message);
    }
    const { code } = (answer.body ?? {}) as { code?: string };
    if (answer.status === 503 && code === "unavailable") return refuse();
    if (answer.status === status) return answer;
    const kind = answer.status >= 500 ? "outside" : "wrong";
    return complain(kind, `${method} ${path}: not ${status}, but ${answer.status} ${answer.text.slice(0, 200)}`);
  };

  const show: Caller["show"] = (pet) => {
    const wrong = model.contradiction(pet);
    if (wrong) complain("wrong", wrong);
  };

  const pages: Caller["pages"] = async function* (query) {
    let last = 0;
    let answered = performance.now();
    for (let path: string | undefined = `/v1/pets?${query}`; path !== undefined; ) {
      const answer = await call({ method: "GET", path, status: 200 });
      if (!answer && performance.now() - answered > patience) throw new Error(`GET ${path} has no answer.`);
      if (!answer) continue;
      answered = performance.now();
      const pets = answer.body as Pet[];
      for (const pet of pets) {
        if (!(Number(pet.id) > last)) complain("wrong", `${path}: the id ${pet.id} comes after ${last}`);
        last = Number(pet.id);
        show(pet);
      }
      yield pets;
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? "")?.[1];
    }
  };
  return { tally, complain, call, show, pages, close: () => agent.destroy() };
}
