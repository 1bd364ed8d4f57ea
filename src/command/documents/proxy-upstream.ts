// The server behind the proxy: forwards requests to it as they were sent, and reads what is compared of its responses.
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { ByteBuffer } from "../../lib/index.ts";
import { formatOf } from "../../openapi/tools.ts";

type Fields = readonly (readonly [name: string, value: string])[];

/** A request as it was sent. */
export interface ProxiedRequest {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  /** The header fields that are forwarded, in their order. */
  readonly fields: Fields;
  readonly body: Buffer;
}

/** A response as the upstream sends it. */
export interface UpstreamResponse {
  readonly message: IncomingMessage;
  /** Whether it has JSON or a text. Other bodies are not compared, and pass while they arrive. */
  readonly isCompared: boolean;
  /** What has been read of the body. */
  readonly start: Buffer;
  readonly isComplete: boolean;
}

/** The most bytes of a body that are read. */
export const maxBytes = 16 * 1024 * 1024;
const timeout = 60_000; // milliseconds without a byte
// Servers close an idle connection after 2 s or more, and a request that meets this would fail.
const agentOptions = { keepAlive: true, timeout: 1_000 };
const agents = { "http:": new http.Agent(agentOptions), "https:": new https.Agent(agentOptions) };

/**
 * Forwards a request to a path of a server, and changes only its Host. Rejects with an Error that names the server if it does not
 * respond. `signal` ends the request and the response.
 */
export async function forward(
  { method, fields, body }: ProxiedRequest,
  server: URL,
  path: string,
  signal: AbortSignal,
): Promise<UpstreamResponse> {
  const has = (pattern: RegExp) => fields.some(([name]) => pattern.test(name));
  const headers = fields.flatMap(([name, value]) => [name, /^host$/i.test(name) ? server.host : value]);
  if (!has(/^host$/i)) headers.unshift("Host", server.host); // HTTP/1.0
  // Node would send the missing body of other methods in chunks.
  if (!has(/^(content-length|transfer-encoding)$/i) && !/^(GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(method))
    headers.push("Content-Length", "0");
  const agent = agents[server.protocol as keyof typeof agents];
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = http.request(server, { method, path, headers, agent, signal, timeout }, resolve).end(body);
    const fail = (reason?: string) => reject(new Error(`The upstream ${server.origin} does not respond: ${reason}.`));
    outgoing.once("timeout", () => outgoing.destroy(new Error(`it sends nothing for ${timeout / 1000} s`)));
    outgoing.on("error", ({ message, code }: NodeJS.ErrnoException) => fail(message || code));
    outgoing.once("close", () => fail("it has changed the protocol")); // which is no error
  });
  const isCompared = /^(json|text)$/.test(formatOf(message.headers["content-type"] ?? ""));
  const isEmpty = message.complete && message.readableLength === 0;
  if (!isCompared) return { message, isCompared, start: Buffer.alloc(0), isComplete: isEmpty };
  const read = await readStart(message).catch(({ message: reason }: Error) => {
    throw new Error(`The upstream ${server.origin} has not sent all of its response: ${reason}.`);
  });
  return { message, isCompared, ...read };
}

// RFC 9110, section 7.6.1. Trailer announces what Node does not forward, and a message can't name its framing.
const ofConnection = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"];
const framing = /^(content-length|host|transfer-encoding)$/;

/** Returns the header fields of a message in their order, without those of its connection, which it can also name. */
export function endToEndFields({ rawHeaders, headers: { connection = "" } }: IncomingMessage): Fields {
  const named = connection.toLowerCase().split(/[\t ,]+/);
  const removed = new Set([...ofConnection, ...named.filter((name) => !framing.test(name))]);
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !removed.has(name.toLowerCase()) ? [[name, rawHeaders[index + 1] as string] as const] : [],
  );
}

/** Reads a body to its end, or to its limit: the rest can be read from it. Rejects with the error of the stream. */
export async function readStart(body: Readable): Promise<Pick<UpstreamResponse, "start" | "isComplete">> {
  const start = new ByteBuffer();
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    start.append(chunk);
    if (start.length > maxBytes) return { start: start.take(), isComplete: false };
  }
  return { start: start.take(), isComplete: true };
}
