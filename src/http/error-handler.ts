// Gives every failure the same shape, whatever its source: a handler, the framework or the router.
import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { Unavailable } from "../lib/index.ts";
import { HttpError, notFound, serviceUnavailable } from "./errors.ts";
import { appendHeader } from "./link-header.ts";

const maxUnread = 1_048_576; // bytes
const hostPattern = /^[\w.~%!$&'()*+;=:[\]-]*$/; // RFC 3986, section 3.2.2, with a port; a comma separates two headers

/** The options of the plugin `errorHandler`. */
export interface ErrorHandlerOptions {
  /** The Link header of failures. */
  readonly links?: string;
}

/**
 * Responds to failed requests. Responds with 404 to unknown paths and 405 to unsupported methods, before the body is
 * read. Register it before routes, because it tracks them.
 */
export const errorHandler = fp<ErrorHandlerOptions>(
  async (app, { links }) => {
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      const { response, headers } = toHttpError(error, request);
      const { status, body } = response;
      if (error instanceof Unavailable) request.log.warn({ reason: toReason(error) }, "the store is unavailable");
      else if (status >= 500 && body.code !== "unavailable") request.log.error({ err: error }, "request failed");
      const send = () => {
        // Fastify closes the connection after each rejected body. Pipelined requests have been executed by then and need
        // their responses, so the connection stays open unless much of the body is still to come.
        if (hasLargeRemainder(request.raw)) reply.header("connection", "close");
        else if (reply.hasHeader("connection") && reply.raw.shouldKeepAlive) reply.header("connection", "keep-alive");
        if (links !== undefined) appendHeader(reply, "link", links);
        reply.code(status).headers(headers).type("application/json; charset=utf-8");
        // As text, because the schemas of the route may not declare this status.
        reply.send(JSON.stringify(body));
      };
      // Reads what has arrived of the body first.
      if (hasLargeRemainder(request.raw)) setImmediate(send);
      else send();
    });

    const patterns = new Map<string, RegExp>();
    app.addHook("onRoute", ({ url }) => {
      patterns.set(url, toPattern(url));
    });

    app.addHook("onRequest", (request, _, done) => {
      // Node accepts a request line without a version, and versions of other protocols.
      if (!/^1\.[01]$/.test(request.raw.httpVersion))
        return done(new HttpError("malformed_request", "The request must be of HTTP/1.1."));
      const { host } = request.headers;
      // RFC 9112, section 3.2. HTTP/1.0 has no Host.
      if (host === undefined ? request.raw.httpVersion !== "1.0" : !hostPattern.test(host))
        done(new HttpError("malformed_request", "The request must have one Host header, with a name or an address."));
      // The notFoundHandler runs after the body was read.
      else if (request.is404) done(rejectRoute(request, patterns));
      else done();
    });
    app.setNotFoundHandler(() => {
      throw notFound();
    });
  },
  { name: "error-handler" },
);

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^$()|[\]{}\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/:\w+/g, "[^/]+").replaceAll("*", ".*")}$`);
}

// Without a stack trace: the cause is outside the service, and every request fails while it lasts.
function toReason({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function rejectRoute({ method, url, server }: FastifyRequest, patterns: ReadonlyMap<string, RegExp>): HttpError {
  const path = decodeURI(url.split("?", 1)[0] as string);
  const routes = [...patterns].filter(([, pattern]) => pattern.test(path)).map(([route]) => route);
  const methods = server.supportedMethods.filter((name) =>
    routes.some((route) => server.hasRoute({ url: route, method: name })),
  );
  if (methods.length === 0) return notFound();
  const allow = methods.sort().join(", ");
  return new HttpError("method_not_allowed", `This path does not have the method ${method}. It has: ${allow}.`, {
    allow,
  });
}

function toHttpError(error: FastifyError, request: FastifyRequest): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof Unavailable) return serviceUnavailable(error.message);
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new HttpError("content_too_large", `The body may have at most ${request.routeOptions.bodyLimit} bytes.`);
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    const body = request.routeOptions.schema?.body as { content?: object } | undefined;
    const types = Object.keys(body?.content ?? {}).join(" or ");
    return new HttpError(
      "unsupported_media_type",
      types ? `The body must be sent as Content-Type: ${types}.` : "This operation takes no body.",
    );
  }
  // All other content type parser errors concern the bytes of the body. ECONNRESET: the client closed the connection.
  if (error.code?.startsWith("FST_ERR_CTP_") || error.code === "ECONNRESET")
    return new HttpError("malformed_request", `The body can't be read: ${error.message}.`);
  // Static files of /docs fail with a status, for example for an invalid range. Elsewhere, it would be a bug.
  if (request.routeOptions.schema?.hide && error.statusCode !== undefined && error.statusCode < 500) return notFound();
  return new HttpError(
    "internal_error",
    "The service failed on this request. The fault is logged under its request id.",
  );
}

// Node reads the rest of an unread body before the next request, which must be bounded.
function hasLargeRemainder({ complete, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? Number.POSITIVE_INFINITY : 0));
  return !complete && length > maxUnread;
}
