// Turns an operation into the options of a Fastify route. Handlers do not access Fastify.
import type { FastifyReply, FastifyRequest, RouteShorthandOptionsWithHandler } from "fastify";
import { notFound } from "../http/index.ts";
import { prepareBody, requireBody } from "./body.ts";
import type { Operation } from "./operation.ts";
import type { UntypedResponse } from "./response.ts";

const maxAuthenticationAge = 1_000; // milliseconds after which a credential is checked again before a body is used

/** A handler without the types of its operation. The compiler has checked them where the handler is defined. */
export type UntypedHandler = (call: object, context: unknown) => Promise<UntypedResponse>;

/** Runs after authentication, and before parameters and body are validated. Throws an HttpError to reject the request. */
export type Guard = (request: FastifyRequest, reply: FastifyReply, operation: Operation) => void;

/** The options of `createRoute`. */
export interface RouteOptions {
  readonly operation: Operation;
  readonly handler: UntypedHandler;
  readonly context: unknown;
  /** Returns the caller. Throws an HttpError to reject the request. */
  readonly authenticate: (request: FastifyRequest) => Promise<unknown>;
  readonly guards: readonly Guard[];
  /** Headers of every response of the operation. */
  readonly headers: Readonly<Record<string, string>>;
  /** The Link header of failures. */
  readonly links: string | undefined;
}

/** Creates the route of an operation. fastify-openapi-glue adds its method and URL. */
export function createRoute(options: RouteOptions): RouteShorthandOptionsWithHandler {
  const { operation, handler, context, authenticate, guards, headers, links } = options;
  const { body, parameters } = operation;
  return {
    config: { operation },
    // These are validators, and not JSON Schemas: `validatorCompiler` returns their `validate`.
    schema: { ...removeUndefined(parameters), ...(body && { body }) },
    validatorCompiler: ({ schema }) => (schema as unknown as { validate: (value: unknown) => object }).validate,
    ...(body?.maxBytes !== undefined && { bodyLimit: body.maxBytes }),
    // One hook instead of one per guard, because each hook costs CPU time.
    async onRequest(request, reply) {
      checkPathParameters(request.params as Record<string, string>);
      for (const name in headers) reply.header(name, headers[name]);
      request.caller = await authenticate(request);
      for (const guard of guards) guard(request, reply, operation);
    },
    ...(body && { preParsing: prepareBody }),
    ...(body?.required && { preValidation: requireBody }),
    async handler(request, reply) {
      // The credential may have been revoked while the body arrived.
      if (body && reply.elapsedTime > maxAuthenticationAge) await authenticate(request);
      const { params, query, headers, body: content, caller } = request;
      const response = await handler({ params, query, headers, body: content, caller }, context);
      return operation.responses.write(reply, response, links);
    },
  };
}

// The router matches /books/ to /books/{bookId} with an empty bookId.
function checkPathParameters(params: Readonly<Record<string, string>>): void {
  for (const name in params) if (params[name] === "") throw notFound();
}

function removeUndefined<T extends object>(parts: T): Partial<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Partial<T>;
}
