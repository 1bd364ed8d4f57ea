// One operation of the document as a route of Fastify: what runs before its handler, in which
// order, and how the handler's answer leaves. Handlers never see Fastify, Fastify never sees them.
import type {
  FastifyReply,
  preParsingHookHandler,
  preValidationHookHandler,
  RouteShorthandOptionsWithHandler,
} from "fastify";
import { type Authenticate, callerDecorator, type KeyUsage } from "../auth/index.ts";
import { appendHeader, HttpError, notFound, type RateLimiter, type ShedLoad } from "../http/index.ts";
import type { Caller, Context } from "./handler.ts";
import type { Operation } from "./operation.ts";

/** A handler as Fastify's side sees it: the contract's types hold it to its operation (src/pets/handlers.ts). */
export type AnyHandler = (
  call: { params: unknown; query: unknown; headers: unknown; body: unknown; caller: Caller | undefined },
  context: Context,
) => Promise<{ status: number; body: unknown; headers?: Record<string, unknown> | undefined }>;

/** What the route of an operation is made of. */
export interface RouteOptions {
  readonly operation: Operation;
  readonly handler: AnyHandler;
  readonly admit: ShedLoad;
  readonly authenticate: Authenticate;
  readonly usage: KeyUsage;
  /** How many calls each caller may make; without it, any number. */
  readonly quota: RateLimiter | undefined;
  readonly context: Context;
  /** The headers on every answer of the operation. */
  readonly headers: Record<string, string>;
  /** The links on its failures, as on all others. */
  readonly links: string;
}

/** The route of an operation, for fastify-openapi-glue, which adds method, URL and schema. */
export function buildRoute({
  operation,
  handler,
  admit,
  authenticate,
  usage,
  quota,
  context,
  headers,
  links,
}: RouteOptions): RouteShorthandOptionsWithHandler {
  const { body } = operation;
  const toText = buildWriter();
  return {
    ...(body?.maxBytes !== undefined && { bodyLimit: body.maxBytes }),
    // Credentials first, but for what there is no time for: here neither path, query nor media type was looked at, and no body was read.
    async onRequest(request, reply) {
      // The router takes /pets/ for /pets/{petId} with an empty id: it is another path.
      if (Object.values(request.params as object).includes("")) throw notFound();
      reply.headers(headers);
      admit();
      const { authorization } = request.headers;
      const address = () => request.ip;
      const caller = await authenticate({ authorization, connection: request.raw.socket, address });
      request.setDecorator(callerDecorator, caller);
      if (operation.deprecation) usage.recordDeprecatedCall(operation.id, caller);
      if (quota === undefined || caller === undefined) return;
      const { headers: left, refusal } = quota.take(`${caller.id}`);
      if (refusal) throw refusal;
      reply.headers(left);
    },
    ...(body && { preParsing: giveLeave }),
    ...(body?.required && { preValidation: requireBody }),
    async handler(request, reply) {
      const { params, query, headers, body } = request;
      const caller = request.getDecorator<Caller | undefined>(callerDecorator);
      const answer = await handler({ params, query, headers, body, caller }, context);
      reply.code(answer.status);
      if (answer.headers)
        for (const [name, value] of Object.entries(answer.headers)) appendHeader(reply, name, String(value));
      if (answer.status >= 400) appendHeader(reply, "link", links);
      return reply.type("application/json; charset=utf-8").send(toText(reply, answer.body));
    },
  };
}

// What can't change is written as text once: a store gives out the same pet or page again while it is exact.
function buildWriter(): (reply: FastifyReply, body: unknown) => string {
  const texts = new WeakMap<object, string>();
  return (reply, body) => {
    const write = reply.getSerializationFunction(String(reply.statusCode), "application/json") ?? JSON.stringify;
    if (!(body instanceof Object) || !Object.isFrozen(body)) return write(body as Record<string, unknown>);
    const known = texts.get(body);
    if (known !== undefined) return known;
    const text = write(body as Record<string, unknown>);
    texts.set(body, text);
    return text;
  };
}

// A client that waits for leave to send its body (RFC 9110, section 10.1.1) has it now.
const giveLeave: preParsingHookHandler = ({ raw, headers, routeOptions }, reply, _payload, done) => {
  const waits = /\b100-continue\b/i.test(headers.expect ?? "") && raw.httpVersion !== "1.0";
  if (waits && !(Number(headers["content-length"]) > routeOptions.bodyLimit)) reply.raw.writeContinue();
  done();
};

// Without a body Fastify knows no media type, and so no schema to validate against.
const requireBody: preValidationHookHandler = (request, _reply, done) =>
  done(request.body === undefined ? new HttpError("invalid_body", "The request must have a body.") : undefined);
