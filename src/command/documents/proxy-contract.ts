// Compares the requests and responses of an upstream with a document: by a server of the document, whose handlers are the upstream.
import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, LightMyRequestResponse } from "fastify";
import { HttpError, isNormalized } from "../../http/index.ts";
import { parseJson } from "../../lib/index.ts";
import type { Document } from "../../openapi/index.ts";
import { decodeContent, formatOf, parseMediaType } from "../../openapi/tools.ts";
import { createServer } from "../../server/index.ts";
import type { Config } from "../inputs/config.ts";
import { maxBytes, type ProxiedRequest, readStart, type UpstreamResponse } from "./proxy-upstream.ts";

/** How a request and its response keep the contract. */
export interface Verdict {
  /** The response of the upstream; undefined if the request was not forwarded. */
  readonly upstream: UpstreamResponse | undefined;
  /** What the request or the response violates; undefined for nothing. */
  readonly violation: { readonly of: "request" | "response"; readonly message: string } | undefined;
  /** Why the body of the response was not compared, although others of its media type are. */
  readonly skipped: string | undefined;
  /** The response of the server of the document; undefined if it has none for the URL of the request. */
  readonly response?: LightMyRequestResponse;
}

interface Exchange {
  readonly send: () => Promise<UpstreamResponse>;
  sent?: Promise<UpstreamResponse>;
  skipped?: string | undefined;
  failure?: string;
  error?: Error;
}

/** A document with which requests and responses are compared. */
export interface Contract {
  /** Compares a request, and if it is valid, the response that `send` returns. Rejects with its Error. */
  check(request: ProxiedRequest, send: Exchange["send"]): Promise<Verdict>;
  close(): Promise<void>;
}

/** Creates the contract of a document. Rejects with an Error that names what is wrong with the document. */
export async function createContract(document: Document, config: Config, logger: FastifyBaseLogger): Promise<Contract> {
  const exchanges = new AsyncLocalStorage<Exchange>();
  const exchange = () => exchanges.getStore() as Exchange;
  const handle = async () => {
    exchange().sent = exchange().send();
    return toResult(exchange(), (await exchange().sent) as UpstreamResponse);
  };
  const schemes = Object.keys(document.content.components?.securitySchemes ?? {});
  const app = await createServer({
    ...config,
    document,
    handlers: Object.fromEntries(document.operations.map(({ id }) => [id, handle])),
    security: Object.fromEntries(schemes.map((name) => [name, () => ({})])), // the upstream checks them
    validateResponses: true,
    docs: false,
    origins: [], // the upstream responds to preflight requests
    formatError: (failure, context) => {
      exchange().failure = failure.message;
      return config.formatError?.(failure, context) ?? failure;
    },
    onError: (error) => {
      exchange().error = error;
    },
    extend: (own) => void own.addHook("onRequest", ignoreConditions),
    logger,
  });
  return {
    check: (request, send) => exchanges.run({ send }, () => check(app, request, exchange())),
    close: () => app.close(),
  };
}

// The upstream evaluates conditions that the document does not declare.
async function ignoreConditions({ raw: { headers }, routeOptions: { config } }: FastifyRequest): Promise<void> {
  const declared = config.operation?.parameters.headers?.names.map((name) => name.toLowerCase());
  for (const name of ["if-match", "if-none-match"]) if (!declared?.includes(name)) delete headers[name];
}

async function check(
  app: FastifyInstance,
  { method, url, fields, body }: ProxiedRequest,
  exchange: Exchange,
): Promise<Verdict> {
  const { "transfer-encoding": _, expect, ...headers } = Object.fromEntries(new Headers(fields as [string, string][]));
  // `inject` would normalize them, and compare another path than the upstream gets.
  if (!isNormalized(url)) {
    const message = "The path must have no dot segments (RFC 3986, section 5.2.4), and no \\ or #.";
    return { upstream: undefined, violation: { of: "request", message }, skipped: undefined };
  }
  const payload = body.length > 0 ? { payload: body } : {};
  const response = await app.inject({ method: method as "GET", url, headers, ...payload });
  const { failure = "", error, skipped } = exchange;
  const upstream = await exchange.sent;
  const message = error?.message.replace(/\b(t)he handler returned\b/i, "$1he upstream returned") ?? failure;
  const violation = upstream && !error ? undefined : ({ of: upstream ? "response" : "request", message } as const);
  return { upstream, violation, skipped, response };
}

// What a handler would return.
async function toResult(exchange: Exchange, upstream: UpstreamResponse) {
  const { message, start, isComplete, isCompared } = upstream;
  const { statusCode: status = 0, headers, headersDistinct: sentHeaders } = message;
  if (isComplete && start.length === 0) return { status, sentHeaders };
  const reading = isCompared ? await readBody(upstream) : {};
  exchange.skipped = reading.skipped;
  const type = headers["content-type"] || "application/octet-stream"; // RFC 9110, section 8.3
  return { status, sentHeaders, type, body: "value" in reading ? reading.value : start };
}

/** The value of a body, or why it is not compared. */
type Reading = { readonly value?: unknown; readonly skipped?: string };

// Reads JSON or a text in its content coding and charset.
async function readBody({ message: { headers }, start, isComplete }: UpstreamResponse): Promise<Reading> {
  const { "content-encoding": coding, "content-type": type = "" } = headers;
  const charset = parseMediaType(type)?.parameters.get("charset");
  const isJson = formatOf(type) === "json";
  const tooLarge = `It has more than ${maxBytes} bytes.`;
  if (!isComplete) return { skipped: tooLarge };
  try {
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: isJson });
    const content = decodeContent(Readable.from([start]), coding, maxBytes, () => new Error(tooLarge));
    const decoded = await readStart(content);
    content.destroy();
    if (!decoded.isComplete) return { skipped: tooLarge };
    const text = decoder.decode(decoded.start);
    return { value: isJson ? parseJson(text) : text };
  } catch (error) {
    const { message } = error as Error;
    // Without a parameter, the charset of a text can depend on its type, or be in the text.
    const isText = error instanceof TypeError && charset === undefined && !isJson;
    if (isText || error instanceof RangeError || error instanceof HttpError) return { skipped: message };
    const format = `${coding === undefined ? "" : `${coding} `}${isJson ? "JSON" : "text"}`;
    throw new Error(`The upstream returned ${format} that can't be read: ${message}.`);
  }
}
