// Compares the requests and responses of an upstream with a document: by a server of the document, whose handlers are the upstream.
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { decodeUtf8, parseJsonBytes } from "../lib/index.ts";
import type { Document, SentRequest, UntypedCall } from "../openapi/application.ts";
import { createServer } from "../openapi/tools.ts";
import type { Config } from "./config.ts";
import type { ProxiedRequest, UpstreamResponse } from "./proxy-upstream.ts";

/** How a request and its response keep the contract. */
export interface Verdict {
  /** The response of the upstream; undefined if the request was not forwarded. */
  readonly upstream: UpstreamResponse | undefined;
  /** What the request or the response violates; undefined for nothing. */
  readonly violation: { readonly of: "request" | "response"; readonly message: string } | undefined;
  /** What the server of the document would respond with. */
  readonly response: { readonly status: number; readonly headers: object; readonly body: Buffer };
}

// Of a request of the proxy to the server of the document.
const idHeader = "x-proxy-exchange";

interface Exchange {
  readonly send: () => Promise<UpstreamResponse>;
  upstream?: UpstreamResponse;
  failure?: string;
  error?: Error;
}

/** A document whose requests and responses are compared. */
export class Contract {
  readonly #app: FastifyInstance;
  readonly #exchanges: Map<string, Exchange>;

  private constructor(app: FastifyInstance, exchanges: Map<string, Exchange>) {
    this.#app = app;
    this.#exchanges = exchanges;
  }

  /** Creates a contract of a document. Rejects with an Error that names what is wrong with the document. */
  static async create(document: Document, config: Config): Promise<Contract> {
    const exchanges = new Map<string, Exchange>();
    const exchangeOf = (request: SentRequest | undefined) => exchanges.get(`${request?.headers[idHeader]}`);
    const handle = async (call: UntypedCall) => {
      const exchange = exchangeOf(call.request) as Exchange;
      exchange.upstream = await exchange.send();
      return toResult(document, call, exchange.upstream);
    };
    const schemes = Object.keys(document.content.components?.securitySchemes ?? {});
    const app = await createServer({
      ...config,
      document: document.content,
      strict: false,
      handlers: Object.fromEntries(document.operations.map(({ id }) => [id, handle])),
      security: Object.fromEntries(schemes.map((name) => [name, () => ({})])), // the upstream checks them
      validateResponses: true,
      docs: false,
      formatError: (failure, context) => {
        const exchange = exchangeOf(context.request);
        if (exchange) exchange.failure = failure.message;
        return config.formatError?.(failure, context) ?? failure;
      },
      onError: (error, { request }) => {
        const exchange = exchangeOf(request);
        if (exchange) exchange.error = error;
      },
      logger: pino({ level: "silent" }),
    });
    return new Contract(app, exchanges);
  }

  /** Compares a request with the document, and if it is valid, the response that `send` returns. Rejects with its Error. */
  async check({ method, url, headers, body }: ProxiedRequest, send: Exchange["send"]): Promise<Verdict> {
    let sendError: Error | undefined;
    const exchange: Exchange = {
      send: () =>
        send().catch((error: Error) => {
          sendError = error;
          throw error;
        }),
    };
    const id = randomUUID();
    const { "transfer-encoding": _, ...sent } = { ...headers, [idHeader]: id };
    this.#exchanges.set(id, exchange);
    const response = await this.#app
      .inject({ method: method as "GET", url, headers: sent, ...(body.length > 0 && { payload: body }) })
      .finally(() => this.#exchanges.delete(id));
    if (sendError) throw sendError;
    const { upstream, failure, error } = exchange;
    const message = error?.message.replace(/^The handler returned/, "The upstream returned") ?? failure;
    const isViolated = upstream === undefined || error !== undefined || response.statusCode !== upstream.status;
    return {
      upstream,
      violation: isViolated
        ? {
            of: upstream ? "response" : "request",
            message: message ?? `The response has the status ${response.statusCode}.`,
          }
        : undefined,
      response: { status: response.statusCode, headers: response.headers, body: response.rawPayload },
    };
  }

  close(): Promise<void> {
    return this.#app.close();
  }
}

// What a handler would return: a value instead of JSON, and headers by their schemas.
function toResult(
  document: Document,
  { operation }: UntypedCall,
  { status, headers, mediaType, body }: UpstreamResponse,
) {
  const declared = operation.part.at("responses")?.at(`${status}`)?.at("headers");
  const values = headers.flatMap(([name, text]) => {
    const key = Object.keys(declared?.value ?? {}).find((one) => one.toLowerCase() === name);
    const schema = key === undefined ? undefined : declared?.at(key)?.written("schema");
    return schema ? [[name, document.schemas.shapeAt(schema.pointer).parsePrimitive(text)] as const] : [];
  });
  return {
    status,
    headers: Object.fromEntries(values),
    ...(mediaType !== undefined && body.length > 0 && { type: mediaType, body: readBody(mediaType, body) }),
  };
}

function readBody(mediaType: string, body: Buffer): unknown {
  if (/[/+]json$/.test(mediaType)) {
    try {
      return parseJsonBytes(body);
    } catch (error) {
      throw new Error(`The upstream returned JSON that can't be read: ${(error as Error).message}.`);
    }
  }
  return mediaType.startsWith("text/") ? decodeUtf8(body) : body;
}
