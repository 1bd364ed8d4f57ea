// Every failure of a request leaves in the one shape, whatever produced it: a handler's bug, the
// framework or the router.
import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { Unavailable } from "../lib/index.ts";
import { HttpError, notFound, serviceUnavailable } from "./errors.ts";
import { appendHeader } from "./link-header.ts";

const mostUnread = 1_048_576; // bytes
const hostForm = /^[\w.~%!$&'()*+;=:[\]-]*$/; // RFC 3986, section 3.2.2, with a port; a comma would be of a second one

/**
 * The answers of `app` to failures of a request, each with `links` to what a lost client looks for.
 * Call it before routes are added: it watches which there are.
 */
export function handleErrors(app: FastifyInstance, links: string): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { answer, headers } = toRefusal(error, request);
    if (error instanceof Unavailable) request.log.warn({ reason: toReason(error) }, "the store can't serve");
    else if (answer.status >= 500 && answer.body.code !== "unavailable") request.log.error({ err: error }, "failed");
    const send = () => {
      // What was sent behind a request is executed by the time of its answer, and must have one, too. So the
      // connection is closed only where much of the body is still to come once all that has arrived is read, and
      // not, as Fastify would, on each body that can't be taken.
      if (leavesMuch(request.raw)) reply.header("connection", "close");
      else if (reply.hasHeader("connection") && reply.raw.shouldKeepAlive) reply.header("connection", "keep-alive");
      appendHeader(reply, "link", links);
      reply.code(answer.status).headers(headers).type("application/json; charset=utf-8");
      // As text: the schemas of the route at hand need not know this status.
      reply.send(JSON.stringify(answer.body));
    };
    if (leavesMuch(request.raw)) setImmediate(send);
    else send();
  });

  const patterns = new Map<string, RegExp>();
  app.addHook("onRoute", ({ url }) => {
    const pattern = new RegExp(
      `^${url
        .replace(/[.+?^$()|[\]{}\\]/g, "\\$&")
        .replace(/:\w+/g, "[^/]+")
        .replaceAll("*", ".*")}$`,
    );
    patterns.set(url, pattern);
  });

  app.addHook("onRequest", (request, _, done) => {
    // Node also takes a request line without a version, and one with that of another protocol.
    if (!/^1\.[01]$/.test(request.raw.httpVersion))
      return done(new HttpError("malformed_request", "The request must be of HTTP/1.1."));
    // RFC 9112, section 3.2. HTTP/1.0 knows no Host.
    const { host } = request.headers;
    if (host === undefined ? request.raw.httpVersion !== "1.0" : !hostForm.test(host))
      done(new HttpError("malformed_request", "The request must have one Host header, with a name or an address."));
    // Not left to the handler below: it would run after the body was read.
    else if (request.is404) done(refuseRoute(request, patterns));
    else done();
  });
  app.setNotFoundHandler(() => {
    throw notFound();
  });
}

// No stack: it is no bug, and while it lasts each request has one.
function toReason({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function refuseRoute({ method, url, server }: FastifyRequest, patterns: ReadonlyMap<string, RegExp>): HttpError {
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

function toRefusal(error: FastifyError, request: FastifyRequest): HttpError {
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
  // What else the framework refuses is about the bytes of the body; ECONNRESET: it broke off.
  if (error.code?.startsWith("FST_ERR_CTP_") || error.code === "ECONNRESET")
    return new HttpError("malformed_request", `The body can't be read: ${error.message}.`);
  // What the files of /docs refuse, such as a range that they don't have. In our own code a status makes no answer.
  if (request.routeOptions.schema?.hide && error.statusCode !== undefined && error.statusCode < 500) return notFound();
  return new HttpError(
    "internal_error",
    "The service failed on this request. The fault is logged under its request id.",
  );
}

// A body that nobody reads is let run out, so that the connection can serve on, but not without end.
function leavesMuch({ complete, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? Number.POSITIVE_INFINITY : 0));
  return !complete && length > mostUnread;
}
