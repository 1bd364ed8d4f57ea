// Turns an operation into the options of a Fastify route. Handlers do not access Fastify.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteShorthandOptionsWithHandler } from "fastify";
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
import type { ReadPart, RequestPart } from "../operation/invalid-request.ts";
import type { PathSource } from "../operation/locations.ts";
import type { Operation } from "../operation/operation.ts";
import type { HandlerResult, WriteOptions } from "../operation/response/response.ts";
import { Query } from "../wire/pairs.ts";
import type { ErrorTable } from "./error-table.ts";
import { prepareBody, requireBody } from "./request-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The query as it was sent: `query` has the values of its parameters, after they were validated. */
    sentQuery: Query;
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

/** The route of an operation. */
export class OperationRoute {
  readonly #options: RouteOptions;
  readonly #unsupportedPreconditions: readonly string[];

  constructor(options: RouteOptions) {
    this.#options = options;
    this.#unsupportedPreconditions = findUnsupportedPreconditions(options.operation);
  }

  /** The options of Fastify's route, without its method and URL. */
  toFastifyOptions(): RouteShorthandOptionsWithHandler {
    const { operation, validateRequests } = this.#options;
    if (!validateRequests) return this.#toUnvalidated();
    const { body, parameters } = operation;
    return {
      config: { operation },
      // These are no JSON Schemas: Fastify replaces each part of a request by the value that they read.
      schema: {
        ...(parameters.path && { params: parameters.path }),
        querystring: parameters.query,
        ...(body && { body }),
      },
      attachValidation: true, // so that the other parts of the request are read, too
      validatorCompiler:
        ({ schema }) =>
        (sent) =>
          (schema as RequestPart<unknown>).read(sent),
      ...(body?.maxBytes !== undefined && { bodyLimit: body.maxBytes }),
      onRequest: this.#onRequest,
      ...(!/^(GET|HEAD)$/.test(operation.method) && { preParsing: prepareBody }),
      ...(body?.required && { preValidation: requireBody }),
      // Returns no promise: Fastify would wait for the reply that it resolves to, with several listeners on the response.
      handler: (request, reply) => {
        this.#handle(request, reply).catch((thrown) => {
          const error = toError(thrown);
          if (reply.sent) request.log.error({ err: error }, "request failed after its response was sent");
          else reply.send(error);
        });
      },
    };
  }

  // The body is read and ignored.
  #toUnvalidated(): RouteShorthandOptionsWithHandler {
    const { operation, handler, context, openCalls } = this.#options;
    const values = { params: {}, query: {}, headers: {}, cookies: {}, body: undefined, caller: undefined };
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
    prepareParameters(request);
    for (const name in headers) reply.header(name, headers[name]);
    const guarded = andThen(authenticate(request), (caller) => {
      request.caller = caller;
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

  async #handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { operation, handler, context, authenticate, errors, ...options } = this.#options;
    // The credential may have been revoked while the body arrived.
    if (operation.body && performance.now() - (authenticatedAt.get(request) as number) > maxAuthenticationAge)
      request.caller = await authenticate(request);
    const values = readValues(request, operation);
    rejectPreconditions(request.headers, this.#unsupportedPreconditions);
    const { body } = values;
    if (body instanceof Readable) reply.raw.once("finish", () => body.destroy());
    const call = new UntypedCall(values, reply, this.#options);
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

// Returns what Fastify has read of a request, and reads its headers and cookies: Fastify keeps the headers that are no
// parameters, and has no cookies. Throws one error for all invalid parts.
function readValues(request: FastifyRequest, operation: Operation) {
  const { params, query, body, caller, raw } = request;
  const { parameters } = operation;
  const headers = parameters.headers?.read(raw.headers) ?? noValues;
  const cookies = parameters.cookies?.read(raw.headers) ?? noValues;
  const { validationError } = request;
  // A function of the application has failed, such as a format. Fastify takes it for an invalid request.
  if (validationError && !((validationError as object) instanceof InvalidRequest))
    throw new Error("The validation of the request failed.", { cause: validationError });
  if (validationError || headers.error || cookies.error) {
    const parts = [...readRest(request, operation), headers, cookies];
    throw new InvalidRequest(parts.flatMap(({ error }) => error?.details ?? []));
  }
  return {
    params: parameters.path ? params : {},
    query,
    headers: headers.value,
    cookies: cookies.value,
    body,
    caller,
  };
}

const noValues: ReadPart = { value: {} };

// The part that Fastify has found invalid, and those behind it, which Fastify has not read.
function readRest({ validationError, body, query }: FastifyRequest, operation: Operation): ReadPart[] {
  if (validationError === undefined) return [];
  const found: ReadPart = { error: validationError as unknown as InvalidRequest };
  const location = validationError.validationContext;
  if (location === "querystring") return [found];
  const readQuery = () => operation.parameters.query.read(query as Query);
  if (location === "body" || operation.body === undefined) return [found, readQuery()];
  return [found, operation.body.read(body), readQuery()];
}

// The preconditions that neither an ETag nor the handler, which has them as parameters, evaluates. An operation that reads
// ignores If-None-Match (RFC 9110, section 13.1.2): the response is then complete.
function findUnsupportedPreconditions({ method, parameters, responses }: Operation): string[] {
  const isRead = /^(GET|HEAD)$/.test(method);
  if (isRead && responses.haveTags) return [];
  const names = isRead ? ["If-Match"] : ["If-Match", "If-None-Match"];
  const declared = new Set(parameters.headers?.names.map((name) => name.toLowerCase()));
  return names.filter((name) => !declared.has(name.toLowerCase()));
}

// The validators of Fastify receive the parts of a request that they read from.
function prepareParameters(request: FastifyRequest): void {
  const { url } = request;
  const params = request.params as Record<string, string>;
  // The router matches /books/ to /books/{bookId} with an empty bookId.
  for (const name in params) if (params[name] === "") throw notFound();
  request.params = { params, path: url.split(/[?#]/, 1)[0] as string } satisfies PathSource;
  request.sentQuery = new Query(url);
  request.query = request.sentQuery;
}
