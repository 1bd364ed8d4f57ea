// Turns an operation into the options of a Fastify route. Handlers do not access Fastify.
import type {
  FastifyReply,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
  RouteShorthandOptionsWithHandler,
} from "fastify";
import { appendHeader, HttpError, notFound } from "../http/index.ts";
import { Json } from "../lib/index.ts";
import type { Operation } from "./operation.ts";

const maxAuthenticationAge = 1_000; // milliseconds after which a credential is checked again before a body is used

interface UntypedResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

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

/** Creates the route of an operation. fastify-openapi-glue adds its method, URL and schema. */
export function createRoute(options: RouteOptions): RouteShorthandOptionsWithHandler {
  const { operation, handler, context, authenticate, guards, headers, links } = options;
  const { body } = operation;
  return {
    ...(body?.maxBytes !== undefined && { bodyLimit: body.maxBytes }),
    // One hook instead of one per guard, because each hook costs CPU time.
    async onRequest(request, reply) {
      checkPathParameters(request.params as Record<string, string>);
      for (const name in headers) reply.header(name, headers[name]);
      request.caller = await authenticate(request);
      for (const guard of guards) guard(request, reply, operation);
    },
    ...(body && { preParsing: sendContinue }),
    ...(body?.required && { preValidation: requireBody }),
    async handler(request, reply) {
      // The credential may have been revoked while the body arrived.
      if (operation.body && reply.elapsedTime > maxAuthenticationAge) await authenticate(request);
      const { params, query, headers, body, caller } = request;
      const response = await handler({ params, query, headers, body, caller }, context);
      reply.code(response.status);
      if (response.headers)
        for (const [name, value] of Object.entries(response.headers))
          if (value !== undefined) appendHeader(reply, name, String(value));
      if (response.status >= 400 && links !== undefined) appendHeader(reply, "link", links);
      if (response.body === undefined) return reply.send();
      return reply.type("application/json; charset=utf-8").send(serialize(reply, response.body));
    },
  };
}

// The router matches /books/ to /books/{bookId} with an empty bookId.
function checkPathParameters(params: Readonly<Record<string, string>>): void {
  for (const name in params) if (params[name] === "") throw notFound();
}

// A body that is JSON already is sent unchanged. The types of handlers allow only responses that the document declares,
// so there is a serializer for every other body.
function serialize(reply: FastifyReply, body: unknown): string {
  if (body instanceof Json) return body.text;
  const write = reply.getSerializationFunction(String(reply.statusCode), "application/json");
  return (write as (body: unknown) => string)(body);
}

// Responds with 100 to clients that wait for it before they send the body (RFC 9110, section 10.1.1).
const sendContinue: preParsingHookHandler = ({ raw, headers, routeOptions }, reply, _payload, done) => {
  const isWaiting = /\b100-continue\b/i.test(headers.expect ?? "") && raw.httpVersion !== "1.0";
  if (isWaiting && !(Number(headers["content-length"]) > routeOptions.bodyLimit)) reply.raw.writeContinue();
  done();
};

// Fastify skips validation if there is no body, because there is no media type to select the schema by.
const requireBody: preValidationHookHandler = (request, _reply, done) =>
  done(request.body === undefined ? new HttpError("invalid_body", "The request must have a body.") : undefined);
