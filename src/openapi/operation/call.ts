// A validated request, as handlers receive it. Its type for an operation is `Call` in handler.ts.
import type { FastifyReply } from "fastify";
import { createTag, matchesTag } from "../../http/index.ts";
import { toJson } from "../../lib/index.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Operation } from "./operation.ts";
import type { HandlerResult } from "./response/response.ts";
import { SentRequest } from "./sent-request.ts";

type SentHeaders = Readonly<Record<string, unknown>>;

type CallValues = Pick<UntypedCall, "params" | "query" | "headers" | "cookies" | "body" | "caller">;

/** A validated request without the types of its operation. */
export class UntypedCall {
  readonly operationId: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly cookies: unknown;
  readonly body: unknown;
  readonly caller: unknown;
  readonly #operation: Operation;
  readonly #reply: FastifyReply;
  readonly #openCalls: OpenCalls;
  #signal: AbortSignal | undefined;
  #request: SentRequest | undefined;

  constructor(operation: Operation, values: CallValues, reply: FastifyReply, openCalls: OpenCalls) {
    this.operationId = operation.id;
    this.params = values.params;
    this.query = values.query;
    this.headers = values.headers;
    this.cookies = values.cookies;
    this.body = values.body;
    this.caller = values.caller;
    this.#operation = operation;
    this.#reply = reply;
    this.#openCalls = openCalls;
  }

  /** The request as it was sent: its id, address, URL, headers and logger. */
  get request(): SentRequest {
    this.#request ??= new SentRequest(this.#reply.request);
    return this.#request;
  }

  get operation(): Operation {
    return this.#operation;
  }

  /** The id of the last event that a client of server-sent events has received, before it has connected again. */
  get lastEventId(): string | undefined {
    const id = this.#reply.request.raw.headers["last-event-id"];
    return typeof id === "string" ? Buffer.from(id, "latin1").toString() : undefined; // the header is UTF-8
  }

  /**
   * Returns whether the client's If-Match has the ETag of a representation, which is what a GET of it returns: its body, and the
   * headers of its handler. Undefined if the client has sent no If-Match. `body` is undefined if there is no representation.
   */
  ifMatch(body: unknown, headers: SentHeaders = {}): boolean | undefined {
    return matchesTag(this.#reply.request.raw.headers["if-match"], () => toTag(body, headers), "strong");
  }

  /**
   * Returns whether the client's If-None-Match does not have the ETag of a representation, like `ifMatch`. With `*`, it is false
   * for any representation, so that a PUT does not replace one.
   */
  ifNoneMatch(body: unknown, headers: SentHeaders = {}): boolean | undefined {
    const matches = matchesTag(this.#reply.request.raw.headers["if-none-match"], () => toTag(body, headers), "weak");
    return matches === undefined ? undefined : !matches;
  }

  /** The media type that the client prefers, of those that the document declares for successes; undefined for none. */
  get responseType(): string | undefined {
    return this.#operation.responses.preferredType(this.#reply.request.headers.accept);
  }

  /**
   * Aborted when the response is complete, the client disconnects, or the server closes: at once for server-sent events, and
   * after half of the grace period for other responses. Not that of Fastify, which ends with the request.
   */
  get signal(): AbortSignal {
    this.#signal ??= this.#openCalls.createSignal(this.#reply.raw);
    return this.#signal;
  }
}

/** A handler without the types of its operation. The compiler has checked them where the handler is defined. */
export type UntypedHandler = (call: UntypedCall, context: unknown) => Promise<HandlerResult>;

// The ETag that the server computes for the response with this body, unless its headers have one.
function toTag(body: unknown, headers: SentHeaders): string | undefined {
  if (body === undefined) return undefined;
  const texts = Object.entries(headers).map(([name, value]) => [name, `${value}`] as const);
  const own = texts.find(([name]) => name.toLowerCase() === "etag")?.[1];
  return own ?? createTag(typeof body === "string" || body instanceof Uint8Array ? body : toJson(body), texts);
}
