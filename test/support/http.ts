// An HTTP client for tests and load generators.
import { once } from "node:events";
import { type Agent, type RequestOptions, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import { text } from "node:stream/consumers";
import { type HttpResponse, toHttpResponse } from "./responses.ts";

const timeout = 20_000; // milliseconds without data on the connection

/** Sends a request and reads the response. Rejects with the system's `code` if the connection breaks. */
export async function send(url: string, options: RequestOptions = {}, body?: string): Promise<HttpResponse> {
  const request = url.startsWith("https:") ? requestByHttps : requestByHttp;
  const outgoing = request(url, { timeout, ...options });
  outgoing.on("error", () => {}); // errors can also follow after the response has begun
  outgoing.on("timeout", () => outgoing.destroy(new Error(`no response within ${timeout} ms`)));
  outgoing.end(body);
  const [incoming] = await once(outgoing, "response");
  return toHttpResponse(incoming.statusCode, incoming.headers, await text(incoming));
}

/** Sends a GET with an API key. */
export function get(url: string, key: string, agent?: Agent): Promise<HttpResponse> {
  return send(url, { headers: { authorization: `Bearer ${key}` }, ...(agent && { agent }) });
}

/** Creates a pet. `url` is the base URL of the service, with its version segment. */
export function createPet(
  url: string,
  key: string,
  { name, idempotencyKey, agent }: { name: string; idempotencyKey?: string; agent?: Agent },
): Promise<HttpResponse> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  };
  const options = { method: "POST", headers, ...(agent && { agent }) };
  return send(`${url}/pets`, options, JSON.stringify({ name, categoryId: 1 }));
}

/** Returns the head and the body of a request that creates a pet, to be sent in parts on a socket. */
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

/** Returns the URL of the next page of a list, or undefined after the last page. */
export function nextPage({ headers: { link = "" } }: HttpResponse, url: string): string | undefined {
  const path = /<([^>]+)>; rel="next"/.exec(link)?.[1];
  return path === undefined ? undefined : new URL(path, url).href;
}

/** The name and the id of a pet. */
export interface StoredPet {
  name: string;
  id: string;
}

/** Lists all pets, from the first page to the last. Throws an Error if a response is not 200. */
export async function listPets(url: string, key: string): Promise<StoredPet[]> {
  const pets: StoredPet[] = [];
  for (let page: string | undefined = `${url}/pets?limit=100`; page !== undefined; ) {
    const response: HttpResponse = await get(page, key);
    if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
    for (const { name, id } of response.body as StoredPet[]) pets.push({ name, id: String(id) });
    page = nextPage(response, url);
  }
  return pets;
}
