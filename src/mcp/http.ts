// Serves agents at /mcp (Streamable HTTP). Stateless: no sessions.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ByteBuffer, InvalidValue, parseJsonBytes } from "../lib/index.ts";
import { collectBody, type Document, readCredential } from "../openapi/index.ts";
import { formatOf } from "../openapi/tools.ts";
import { type AgentCaller, AgentServer } from "./agent-server.ts";
import type { ToolRequest } from "./request.ts";
import type { Answer } from "./result.ts";

/** The path of agents. */
const path = "/mcp";
const maxBytes = 4 * 1024 * 1024; // of a response that is read, which is then cut
const streamTime = 5_000; // milliseconds for which an endless stream is read

// The protocol has none since its version 2025-06-18, and one request could have thousands of calls.
const batchError = {
  jsonrpc: "2.0",
  error: { code: -32600, message: "Invalid Request: send each message in a request of its own, not in an array." },
  id: null,
};

// What a request of an agent has for all of its calls: where it comes from, and its trace.
const passed = /^(forwarded|host|traceparent|tracestate|user-agent|x-forwarded-(for|host|proto)|x-request-id)$/;

/** Serves a document to agents. Throws an Error if an operation has the path. */
export async function serveAgents(
  app: FastifyInstance,
  document: Document,
  options: { readonly include?: readonly string[] | undefined },
): Promise<void> {
  const other = document.operations.find(({ template }) => template.routerPath === path);
  if (other) throw new Error(`The operation ${other.id} has the path ${path}, at which \`mcp\` serves agents.`);
  const agents = new AgentServer(document, options);
  // Encapsulated, so that it reads its own bodies.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (request: FastifyRequest, payload: IncomingMessage) =>
      collectBody(request, payload),
    );
    scope.post(path, async (request, reply) => {
      const message = parseBody(request.body);
      if (Array.isArray(message)) return reply.code(400).send(batchError);
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = agents.connect(toCaller(app, request));
      await server.connect(transport);
      reply.raw.once("close", () => void server.close()); // which ends its calls if the agent disconnects
      const { accept = "", "content-type": type = "", "mcp-protocol-version": version } = request.headers;
      const headers = { accept, "content-type": type, ...(version && { "mcp-protocol-version": `${version}` }) };
      const sent = new Request(`http://localhost${path}`, { method: "POST", headers, body: "" });
      const response = await transport.handleRequest(sent, { parsedBody: message });
      return reply
        .code(response.status)
        .headers(Object.fromEntries(response.headers))
        .send(await response.text());
    });
  });
}

// Integers are exact. The transport rejects what is no JSON.
function parseBody(body: unknown): unknown {
  try {
    return parseJsonBytes(body as Buffer);
  } catch (error) {
    if (error instanceof InvalidValue || body === undefined) return undefined;
    throw error;
  }
}

function toCaller(app: FastifyInstance, request: FastifyRequest): AgentCaller {
  const { headers, socket } = request;
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => passed.test(name)));
  const { remoteAddress = "127.0.0.1" } = socket;
  return {
    credentials: ({ scheme }) =>
      scheme.type === "apiKey" ? (readCredential(scheme, request) as string | undefined) : headers.authorization,
    send: (call, signal) => sendTo(app, { ...call, headers: { ...call.headers, ...own } }, signal, remoteAddress),
  };
}

/** Sends a request to an app in this process, as if a client had sent it. */
export async function sendTo(
  app: FastifyInstance,
  { method, url, headers, payload }: ToolRequest,
  signal: AbortSignal,
  remoteAddress = "127.0.0.1",
): Promise<Answer> {
  const end = new AbortController();
  signal.addEventListener("abort", () => end.abort(), { once: true });
  const response = await app.inject({
    method: method as "GET",
    url,
    headers,
    remoteAddress,
    payloadAsStream: true,
    signal: end.signal,
    ...(payload && { payload }),
  });
  const read = await readStart(response.stream(), `${response.headers["content-type"]}`);
  if (!read.isComplete) end.abort();
  return { status: response.statusCode, headers: response.headers, ...read };
}

/** Reads a body of a media type: at most 4 MiB, and for at most 5 s if it can be endless. */
export async function readStart(stream: Readable, type: string): Promise<Pick<Answer, "body" | "isComplete">> {
  const bytes = new ByteBuffer();
  let isComplete = true;
  const stop = () => {
    isComplete = false;
    stream.destroy();
  };
  const timer = formatOf(type) === "stream" ? setTimeout(stop, streamTime) : undefined;
  try {
    for await (const chunk of stream) {
      bytes.append(chunk);
      if (bytes.length > maxBytes) stop();
    }
  } catch (error) {
    if (isComplete) throw error;
  } finally {
    clearTimeout(timer);
  }
  return { body: bytes.take(), isComplete };
}
