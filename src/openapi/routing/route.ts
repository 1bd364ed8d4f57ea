// Turns an operation into the options of a Fastify route. Handlers do not access Fastify.
import { Readable } from "node:stream";
import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preValidationHookHandler,
  RouteShorthandOptionsWithHandler,
} from "fastify";
import {
  type HttpError,
  InvalidRequest,
  notFound,
  rejectPreconditions,
  serviceUnavailable,
  toError,
} from "../../http/index.ts";
import { andThen, type MaybePromise } from "../../lib/index.ts";
import { type CallOptions, UntypedCall, type UntypedHandler } from "../operation/call.ts";
import type { Operation } from "../operation/operation.ts";
import type { PathSource } from "../operation/parameter-locations.ts";
import type { HandlerResult, WriteOptions } from "../operation/response/response.ts";
import { type Query, queryOf } from "../wire/pairs.ts";
import { identitiesOf } from "./authentication.ts";
import type { ErrorTable } from "./error-table.ts";
import { prepareBody } from "./request-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The owner of its credential, from the security scheme or the check of operators: for calls, guards and the log. */
    caller: unknown;
    /** The query as it was sent. Only `queryOf` uses it. */
    sentQuery: Query | undefined;
    /** The values of its header parameters, from the route for its handler, as `params`, `query` and `body` are. */
    headerValues: unknown;
    /** The values of its cookies, in the same way. */
    cookieValues: unknown;
  }
  interface FastifyContextConfig {
    /** The operation of a route; undefined for routes that are not in the document. */
    operation?: Operation;
    /** Whether the body of a request is ignored. */
    ignoresBody?: boolean;
  }
}

const maxAuthenticationAge = 1_000; // milliseconds after which a credential is checked again before a body is used

// When the credential of a request with a body was checked, by `performance.now`. Not reply.elapsedTime, which is 0 in an
// app without a logger.
const authenticatedAt = new WeakMap<FastifyRequest, number>();

/**
 * Runs after authentication, and before parameters and body are validated. Throws an HttpError, or rejects with it, to reject
 * the request.
 */
export type Guard = (request: FastifyRequest, reply: FastifyReply, operation: Operation) => MaybePromise<void>;

export interface RouteOptions extends CallOptions, WriteOptions {
  readonly handler: UntypedHandler;
  readonly context: unknown;
  /** Returns the caller. Throws an HttpError to reject the request. */
  readonly authenticate: (request: FastifyRequest) => MaybePromise<unknown>;
  readonly guards: readonly Guard[];
  /** Headers of every response of the operation. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether requests are validated, and their credentials. Otherwise, the handler gets no values. */
  readonly validateRequests: boolean;
  readonly errors: ErrorTable;
}

/** Sets the owner of the credential of a request, and its name for the log. A text has none: it can be the credential. */
export function setCaller(request: FastifyRequest, caller: unknown): void {
  const { name, id } = Object(identitiesOf(caller)[0] ?? caller);
  const known = [name, id].find((one) => /^(string|number|bigint)$/.test(typeof one));
  request.caller = caller;
  request.callerName = known === undefined ? undefined : `${known}`;
}

/** The route of an operation. */
export class OperationRoute {
  readonly #options: RouteOptions;
  readonly #unsupportedPreconditions: readonly string[];

  constructor(options: RouteOptions) {
    this.#options = options;
    const { operation, handler } = options;
    this.#unsupportedPreconditions = handler.evaluatesPreconditions ? [] : findUnsupportedPreconditions(operation);
  }

  /** The options of Fastify's route, without its method and URL. */
  toFastifyOptions(): RouteShorthandOptionsWithHandler {
    const { operation, validateRequests } = this.#options;
    if (!validateRequests) return this.#toUnvalidated();
    const { body } = operation;
    return {
      config: { operation },
      ...(body?.maxBytes !== undefined && { bodyLimit: body.maxBytes }),
      onRequest: this.#onRequest,
      ...(!/^(GET|HEAD)$/.test(operation.method) && { preParsing: prepareBody }),
      preValidation: this.#preValidation,
      // Returns no promise: Fastify would wait for the reply that it resolves to, with several listeners on the response.
      handler: (request, reply) => {
        this.#handle(request, reply).catch((thrown) => {
          const error = toError(thrown);
          const { callerName: key, log } = request;
          if (reply.sent) log.error({ key, err: error }, "request failed after its response was sent");
          else reply.send(error);
        });
      },
    };
  }

  // The body is read and ignored.
  #toUnvalidated(): RouteShorthandOptionsWithHandler {
    const { operation, handler, context, openCalls } = this.#options;
    const values = { params: {}, query: {}, headers: {}, cookies: {}, body: undefined };
    return {
      config: { operation, ignoresBody: true },
      ...(!/^(GET|HEAD)$/.test(operation.method) && { preParsing: prepareBody }),
      handler: async (_request, reply) => {
        const call = new UntypedCall(values, reply, this.#options);
        const response = await handler(call, context);
        if (response instanceof Error) throw response;
        return operation.responses.write(reply, response, { validation: "none", openCalls });
      },
    };
  }

  // One hook instead of one per guard, because each hook costs CPU time.
  readonly #onRequest: onRequestHookHandler = (request, reply, done) => {
    const fail = (thrown: unknown) => done(toError(thrown)); // Fastify takes undefined and null as success
    let admitted: MaybePromise<void>;
    try {
      admitted = this.#admit(request, reply);
    } catch (thrown) {
      return fail(thrown);
    }
    if (admitted instanceof Promise) admitted.then(() => done(), fail);
    else done();
  };

  #admit(request: FastifyRequest, reply: FastifyReply): MaybePromise<void> {
    const { operation, headers, authenticate } = this.#options;
    const params = request.params as Readonly<Record<string, string>>;
    // The router matches /books/ to /books/{bookId} with an empty bookId.
    for (const name in params) if (params[name] === "") throw notFound();
    for (const name in headers) reply.header(name, headers[name]);
    const guarded = andThen(authenticate(request), (caller) => {
      setCaller(request, caller);
      if (operation.body) authenticatedAt.set(request, performance.now());
      return this.#runGuards(request, reply);
    });
    return andThen(guarded, () => operation.responses.checkAccept(request));
  }

  #runGuards(request: FastifyRequest, reply: FastifyReply, index = 0): MaybePromise<void> {
    const { guards, operation } = this.#options;
    const guard = guards[index];
    if (guard) return andThen(guard(request, reply, operation), () => this.#runGuards(request, reply, index + 1));
  }

  // Fastify's own validation ends at the first part that is invalid, and has no cookies.
  readonly #preValidation: preValidationHookHandler = (request, _reply, done) => {
    try {
      readParts(request, this.#options);
    } catch (thrown) {
      Object.assign(request, { validationError: toError(thrown) }); // as Fastify does with `attachValidation`
    }
    done();
  };

  async #handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { operation, handler, context, authenticate, errors, ...options } = this.#options;
    // The credential may have been revoked while the body arrived.
    if (operation.body && performance.now() - (authenticatedAt.get(request) as number) > maxAuthenticationAge)
      setCaller(request, await authenticate(request));
    if (request.validationError) throw request.validationError;
    rejectPreconditions(request.headers, this.#unsupportedPreconditions);
    const { params, query, body, headerValues: headers, cookieValues: cookies } = request;
    if (body instanceof Readable) reply.raw.once("finish", () => body.destroy());
    const call = new UntypedCall({ params, query, headers, cookies, body }, reply, this.#options);
    request.isHandled = true;
    let response: HandlerResult;
    try {
      response = await handler(call, context);
      if (response instanceof Error) throw response;
    } catch (thrown) {
      throw call.isAbortedBy(thrown) ? aborted() : errors.map(thrown, operation);
    }
    if (typeof response !== "object" || response === null)
      throw new Error(`The handler of ${operation.id} returned no response.`);
    operation.responses.write(reply, response, options);
  }
}

// Not a failure of the application, which is logged.
function aborted(): HttpError {
  return serviceUnavailable("The request was aborted, because the server shuts down, or its client has disconnected.");
}

// Replaces the parts of a request by the values that they have. Throws one error for all that are invalid.
function readParts(request: FastifyRequest, { operation, handler }: RouteOptions): void {
  const { parameters, body, method } = operation;
  if (body?.required && request.body === undefined)
    throw new InvalidRequest([{ location: "body", name: "", message: "The request must have a body." }]);
  const { raw, url } = request;
  const params = request.params as PathSource["params"];
  const path = parameters.path?.read({ params, path: url.split(/[?#]/, 1)[0] as string });
  const content = body?.read(request.body, handler.isPatch ?? method === "PATCH"); // what a patch lacks stays (RFC 7396)
  const query = parameters.query.read(queryOf(request));
  const headers = parameters.headers?.read(raw.headers);
  const cookies = parameters.cookies?.read(raw.headers);
  if (path?.error || content?.error || query.error || headers?.error || cookies?.error)
    throw new InvalidRequest([path, content, query, headers, cookies].flatMap((part) => part?.error?.details ?? []));
  request.params = path?.value ?? {};
  request.body = content?.value;
  request.query = query.value;
  request.headerValues = headers?.value ?? noValues;
  request.cookieValues = cookies?.value ?? noValues;
}

const noValues = {};

// The preconditions that neither an ETag nor the handler, which has them as parameters, evaluates. An operation that reads
// ignores If-None-Match (RFC 9110, section 13.1.2): the response is then complete.
function findUnsupportedPreconditions({ method, parameters, responses }: Operation): string[] {
  const isRead = /^(GET|HEAD)$/.test(method);
  if (isRead && responses.haveTags) return [];
  const names = isRead ? ["If-Match"] : ["If-Match", "If-None-Match"];
  const declared = new Set(parameters.headers?.names.map((name) => name.toLowerCase()));
  return names.filter((name) => !declared.has(name.toLowerCase()));
}
