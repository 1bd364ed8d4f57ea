// A validated request, as handlers receive it. Its type for an operation is `Call` in handler.ts.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OpenCalls } from "./open-calls.ts";
import type { Operation } from "./operation.ts";
import type { UntypedResponse } from "./response.ts";

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
export type UntypedHandler = (
  call: UntypedCall,
  context: unknown,
  request: Pick<FastifyRequest, "raw">,
) => Promise<UntypedResponse>;
