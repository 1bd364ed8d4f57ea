// The requests of attackers, as bytes.
import { hold, open, sendInLoop, type Target } from "./sockets.ts";

const jsonType = "Content-Type: application/json\r\n";

/** The body of a valid create. */
export const newPet = '{"name":"Rex","categoryId":1}';

/** Returns a GET. */
export function get(path: string, key?: string, ...headers: string[]): string {
  const lines = [`GET ${path} HTTP/1.1`, "Host: x", ...headers];
  if (key !== undefined) lines.push(`Authorization: Bearer ${key}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Returns a create with a header that frames its body. */
export function post(framing: string, body: string | Buffer, key?: string, type = jsonType): Buffer {
  const authorization = key === undefined ? "" : `Authorization: Bearer ${key}\r\n`;
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${authorization}${type}${framing}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}

/** Returns an attack that sends requests on some connections in a closed loop, `depth` at a time. */
export function inLoop(connections: number, createRequest: (target: Target) => () => string | Buffer, depth = 1) {
  return (target: Target) => hold(connections, 2_000, () => sendInLoop(open(target), createRequest(target), depth));
}

/** Returns requests with headers of 15 KB, and with a path of 15 KB. */
export function createLargeRequests(): () => string {
  const large = [get("/v1/pets", undefined, `X-Large: ${"x".repeat(15_000)}`), get(`/v1/pets/${"9".repeat(15_000)}`)];
  let n = 0;
  return () => large[n++ % large.length] as string;
}
