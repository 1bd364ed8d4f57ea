// The HTTP client of tests and load generators.
import { once } from "node:events";
import { type Agent, type RequestOptions, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import { text } from "node:stream/consumers";
import { type Answer, toAnswer } from "./answers.ts";

const timeout = 20_000; // milliseconds for an answer

/** Sends a request and reads its answer. If the connection breaks, rejects with an Error that has the system's `code`. */
export async function send(url: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  const request = url.startsWith("https:") ? requestByHttps : requestByHttp;
  const outgoing = request(url, { timeout, ...options });
  outgoing.on("error", () => {}); // also after the answer has begun
  outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${timeout} ms`)));
  outgoing.end(body);
  const [incoming] = await once(outgoing, "response");
  return toAnswer(incoming.statusCode, incoming.headers, await text(incoming));
}

/** Reads a URL with an API key. */
export function get(url: string, key: string, agent?: Agent): Promise<Answer> {
  return send(url, { headers: { authorization: `Bearer ${key}` }, ...(agent && { agent }) });
}

/** Creates a pet. `url` is the service's, with its version segment. */
export function createPet(
  url: string,
  key: string,
  { name, idempotencyKey, agent }: { name: string; idempotencyKey?: string; agent?: Agent },
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  };
  const options = { method: "POST", headers, ...(agent && { agent }) };
  return send(`${url}/pets`, options, JSON.stringify({ name, categoryId: 1 }));
}

/** The bytes of a request that creates a pet. The caller sends them on a socket of its own, in parts. */
export function createRequest(key: string, name: string, ...headers: string[]): { head: string; body: string } {
  const body = JSON.stringify({ name, categoryId: 1 });
  const lines = [
    "POST /v1/pets HTTP/1.1",
    "Host: pets.example",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    ...headers,
  ];
  return { head: `${lines.join("\r\n")}\r\n\r\n`, body };
}

/** The URL of the next page of a list; undefined if it is the last. */
export function nextPage({ headers: { link = "" } }: Answer, url: string): string | undefined {
  const path = /<([^>]+)>; rel="next"/.exec(link)?.[1];
  return path === undefined ? undefined : new URL(path, url).href;
}

/** The name and the id of a pet. */
export interface StoredPet {
  name: string;
  id: string;
}

/** Lists all pets, from the first page to the last. Throws an Error if an answer is not 200. */
export async function listPets(url: string, key: string): Promise<StoredPet[]> {
  const pets: StoredPet[] = [];
  for (let page: string | undefined = `${url}/pets?limit=100`; page !== undefined; ) {
    const answer: Answer = await get(page, key);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    for (const { name, id } of answer.body as StoredPet[]) pets.push({ name, id: String(id) });
    page = nextPage(answer, url);
  }
  return pets;
}
