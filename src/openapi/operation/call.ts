// A validated request, as handlers receive it. Its type for an operation is `Call` in handler.ts.
import type { FastifyReply } from "fastify";
import { matchesTag } from "../../http/index.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Operation } from "./operation.ts";
import type { ResponseValidation } from "./response/check.ts";
import type { HandlerResult } from "./response/response.ts";
import { SentRequest } from "./sent-request.ts";

type SentHeaders = Readonly<Record<string, unknown>>;

type CallValues = Pick<UntypedCall, "params" | "query" | "headers" | "cookies" | "body">;

/** What a call knows beside its request. */
export interface CallOptions {
  readonly operation: Operation;
  /** The operation that returns the representation of the resource: the GET of its path, or itself. */
  readonly read: Operation;
  readonly openCalls: OpenCalls;
  /** The URL of the API as clients know it, such as `/v1`. */
  readonly baseUrl: string;
  /** The path at which the API is served. */
  readonly mountPath: string;
  /** What happens to a response that does not match the document. */
  readonly validation: ResponseValidation;
}

/** A validated request without the types of its operation. */
export class UntypedCall {
  readonly operationId: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly cookies: unknown;
  readonly body: unknown;
  readonly caller: unknown;
  readonly #options: CallOptions;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;
  #request: SentRequest | undefined;

  constructor(values: CallValues, reply: FastifyReply, options: CallOptions) {
    this.operationId = options.operation.id;
    this.params = values.params;
    this.query = values.query;
    this.headers = values.headers;
    this.cookies = values.cookies;
    this.body = values.body;
    this.caller = reply.request.caller;
    this.#options = options;
    this.#reply = reply;
  }

  /** The request as it was sent: its id, address, URL, headers and logger. */
  get request(): SentRequest {
    this.#request ??= new SentRequest(this.#reply.request);
    return this.#request;
  }

  /** The URL of the path of the request as clients know it, without its query: for `Location`, and for links to itself. */
  get publicUrl(): string {
    const { baseUrl, mountPath } = this.#options;
    const [path = ""] = this.#reply.request.url.split("?", 1);
    return path.startsWith(mountPath) ? baseUrl + path.slice(mountPath.length) : path;
  }

  get operation(): Operation {
    return this.#options.operation;
  }

  /** The id of the last event that a client of server-sent events has received, before it has connected again. */
  get lastEventId(): string | undefined {
    const id = this.#reply.request.raw.headers["last-event-id"];
    return typeof id === "string" ? Buffer.from(id, "latin1").toString() : undefined; // the header is UTF-8
  }

  /**
   * Returns whether the client's If-Match has the ETag of a representation, which is what the GET of this path returns: the body and
   * the headers of its handler. Undefined if the client has sent no If-Match. `body` is undefined if there is no representation.
   * Throws an HttpError (400) if the header is malformed.
   */
  ifMatch(body: unknown, headers: SentHeaders = {}): boolean | undefined {
    return matchesTag("If-Match", this.#reply.request.raw.headers, () => this.#tagsOf(body, headers));
  }

  /**
   * Returns whether the client's If-None-Match does not have the ETag of a representation, like `ifMatch`. With `*`, it is false
   * for any representation, so that a PUT does not replace one.
   */
  ifNoneMatch(body: unknown, headers: SentHeaders = {}): boolean | undefined {
    const matches = matchesTag("If-None-Match", this.#reply.request.raw.headers, () => this.#tagsOf(body, headers));
    return matches === undefined ? undefined : !matches;
  }

  /** Returns the ETag with which the GET of this path returns a representation; undefined if it has none. */
  tagOf(body: unknown): string | undefined {
    return this.#tagsOf(body, {})?.[0];
  }

  #tagsOf(body: unknown, headers: SentHeaders): readonly string[] | undefined {
    const { responses } = this.#options.read;
    return body === undefined ? undefined : responses.tagsOf({ status: 200, body, headers }, this.#reply);
  }

  /**
   * Compares a response with the document before what it says is committed, and returns it as it is sent. Throws the Error with which
   * sending it would fail.
   */
  prepare(response: HandlerResult): HandlerResult {
    if (response instanceof Error) return response;
    return this.operation.responses.prepare(this.#reply, response, this.#options.validation);
  }

  /** The media type that the client prefers, of those that the document declares for successes; undefined for none. */
  get responseType(): string | undefined {
    return this.operation.responses.preferredType(this.#reply.request.headers.accept);
  }

  /**
   * Aborted when the response is complete, the client disconnects, or the server closes: at once for server-sent events, and
   * after half of the grace period for other responses. Not that of Fastify, which ends with the request.
   */
  get signal(): AbortSignal {
    this.#signal ??= this.#options.openCalls.createSignal(this.#reply.raw);
    return this.#signal;
  }

  /** Returns whether a handler has failed because its signal was aborted. */
  isAbortedBy(thrown: unknown): boolean {
    if (!this.#signal?.aborted) return false;
    return thrown === this.#signal.reason || (thrown instanceof Error && thrown.name === "AbortError");
  }
}

/** A handler without the types of its operation. The compiler has checked them where the handler is defined. */
export interface UntypedHandler {
  (call: UntypedCall, context: unknown): Promise<HandlerResult>;
  /** Whether it evaluates If-Match and If-None-Match, also if the document does not declare them. */
  readonly evaluatesPreconditions?: boolean;
  /** Whether the body has what it changes, and so no default values, whatever the method. That of PATCH always has. */
  readonly isPatch?: boolean;
}
