// Serves small documents, written in YAML, for tests of the spec-first server.
import type { FastifyInstance, InjectOptions } from "fastify";
import { pino } from "pino";
import { createEdge } from "../../src/http/index.ts";
import type { SecuritySchemes } from "../../src/index.ts";
import { type Document, parseDocument, routes } from "../../src/openapi/index.ts";

/** A handler without types. */
type Handler = (call: Record<string, unknown>) => Promise<object>;

/** The options of `serve`. */
export interface ServeOptions {
  /** By default, each operation responds with 204. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly security?: SecuritySchemes;
  readonly validateResponses?: boolean;
}

/** A served document. */
export interface DocumentServer {
  readonly app: FastifyInstance;
  readonly document: Document;
  /** What the handlers have received. */
  readonly calls: Record<string, unknown>[];
  /** Sends a request, and returns its response with the parsed body. */
  send(
    method: string,
    url: string,
    options?: InjectOptions,
  ): Promise<{ status: number; headers: Record<string, unknown>; text: string; body: unknown }>;
}

/** Returns the text of a document with these paths and components, in YAML. */
export function documentOf(paths: string, rest = "", version = "3.1.0"): string {
  return `openapi: ${version}\ninfo: { title: Test, version: "1" }\n${rest}\npaths:\n${paths}`;
}

/** Serves a document on no port: `send` injects requests. */
export async function serve(text: string, options: ServeOptions = {}): Promise<DocumentServer> {
  const document = await parseDocument(text);
  const calls: Record<string, unknown>[] = [];
  const handlers = Object.fromEntries(
    document.operations.map(({ id }): [string, Handler] => [
      id,
      async (call) => {
        calls.push(call);
        return (await options.handlers?.[id]?.(call)) ?? { status: 204 };
      },
    ]),
  );
  const app = await createEdge({ logger: pino({ level: "silent" }), headers: {} });
  const { security = {}, validateResponses = true } = options;
  await app.register(routes, { document, handlers, context: () => undefined, security, validateResponses } as never);
  return {
    app,
    document,
    calls,
    async send(method, url, options = {}) {
      const response = await app.inject({
        ...options,
        method: method as "GET",
        url,
        headers: { host: "x", ...options.headers },
      });
      const isJson = /json/.test(String(response.headers["content-type"]));
      const body = isJson && response.payload !== "" ? JSON.parse(response.payload) : undefined;
      return { status: response.statusCode, headers: response.headers, text: response.payload, body };
    },
  };
}
