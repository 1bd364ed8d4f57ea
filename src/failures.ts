// Every failure leaves in the one shape, whatever produced it: a handler's bug, the framework, the
// router, or the HTTP parser, which answers before there is a request.

import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { nothingThere, Refusal, Unavailable } from "./errors.ts";

const retryAfter = "1"; // seconds

/** The answers of `app` to failures of a request. Call it before routes are added: it watches which there are. */
export function answerFailures(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const refusal = toRefusal(error, request);
    if (refusal.answer.status >= 500) request.log.error({ err: error }, "failed");
    send(reply, refusal);
  });

  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    const pattern = new RegExp(
      `^${url
        .replace(/[.+?^$()|[\]{}\\]/g, "\\$&")
        .replace(/:\w+/g, "[^/]+")
        .replaceAll("*", ".*")}$`,
    );
    const path = paths.get(url) ?? { pattern, methods: new Set() };
    paths.set(url, path);
    for (const name of [method].flat()) path.methods.add(name);
  });

  app.addHook("onRequest", async (request) => {
    if (request.raw.httpVersion === "1.1" && request.headers.host === undefined)
      throw new Refusal("malformed_request", "The request must have a Host header.");
    // Not left to the handler below: it would run after the body was read.
    if (request.is404) throw refuseRoute(request, paths.values());
  });
  app.setNotFoundHandler(() => {
    throw nothingThere();
  });
}

function refuseRoute(
  { method, url }: FastifyRequest,
  paths: Iterable<{ pattern: RegExp; methods: Set<string> }>,
): Refusal {
  const path = url.split("?", 1)[0] as string;
  const methods = [...paths].filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
  if (methods.length === 0) return nothingThere();
  const allow = [...new Set(methods)].sort().join(", ");
  return new Refusal("method_not_allowed", `This path does not have the method ${method}, but: ${allow}.`, { allow });
}

function toRefusal(error: FastifyError, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Unavailable)
    return new Refusal("unavailable", `${error.message} Try again.`, { "retry-after": retryAfter });
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new Refusal("content_too_large", `The body may have at most ${request.routeOptions.bodyLimit} bytes.`);
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    const body = request.routeOptions.schema?.body as { content?: object } | undefined;
    const types = Object.keys(body?.content ?? {}).join(" or ");
    return new Refusal(
      "unsupported_media_type",
      types ? `The body must be sent as Content-Type: ${types}.` : "This operation takes no body.",
    );
  }
  // What else the framework refuses is about the bytes of the request, such as a body that breaks off.
  if (error.statusCode !== undefined && error.statusCode < 500)
    return new Refusal("malformed_request", `The request can't be read: ${error.message}.`);
  return new Refusal("internal_error", "The service failed on this request. The fault is logged under its request id.");
}

function send(reply: FastifyReply, { answer, headers }: Refusal): void {
  reply.code(answer.status).headers(headers).send(answer.body);
}

/** Answers what the HTTP parser refuses, on the socket itself: there is no request yet. */
export function answerMalformed(this: FastifyInstance, error: { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const id = randomUUID();
  this.log.info({ reqId: id, code: error.code }, "malformed request");
  const { answer, headers } = parserRefusal(error.code);
  const body = JSON.stringify(answer.body);
  const head = {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-request-id": id,
    connection: "close",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join("")}\r\n${body}`);
}

function parserRefusal(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return new Refusal("headers_too_large", "The headers of the request are too large: at most 16384 bytes.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Refusal("request_timeout", "The request took too long to arrive.");
  if (code === "CONNECT") return new Refusal("malformed_request", "This service is no proxy: it has no CONNECT.");
  return new Refusal("malformed_request", "The request is not HTTP/1.1.");
}
