// Every failure of a request leaves in the one shape, whatever produced it: a handler's bug, the
// framework or the router.
import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { nothingThere, Refusal, Unavailable } from "./errors.ts";

const retryAfter = "1"; // seconds
const mostUnread = 1_048_576; // bytes

/** The answers of `app` to failures of a request. Call it before routes are added: it watches which there are. */
export function answerFailures(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const { answer, headers } = toRefusal(error, request);
    if (answer.status >= 500) request.log.error({ err: error }, "failed");
    if (leavesMuch(request.raw)) reply.header("connection", "close");
    return reply.code(answer.status).headers(headers).send(answer.body);
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
    // RFC 9112, section 3.2. HTTP/1.0 knows no Host.
    const hosts = request.raw.rawHeaders.filter(
      (name, index) => index % 2 === 0 && name.length === 4 && /host/i.test(name),
    ).length;
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion !== "1.0"))
      throw new Refusal("malformed_request", `The request must have one Host header, not ${hosts}.`);
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
  const path = decodeURI(url.split("?", 1)[0] as string);
  const methods = [...paths].filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
  if (methods.length === 0) return nothingThere();
  const allow = [...new Set(methods)].sort().join(", ");
  return new Refusal("method_not_allowed", `This path does not have the method ${method}. It has: ${allow}.`, {
    allow,
  });
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
  // What else the framework refuses is about the bytes of the body; ECONNRESET: it broke off.
  if (error.code?.startsWith("FST_ERR_CTP_") || error.code === "ECONNRESET")
    return new Refusal("malformed_request", `The body can't be read: ${error.message}.`);
  // What the files of /docs refuse, such as a range that they don't have. In our own code a status makes no answer.
  if (request.routeOptions.schema?.hide && error.statusCode !== undefined && error.statusCode < 500)
    return nothingThere();
  return new Refusal("internal_error", "The service failed on this request. The fault is logged under its request id.");
}

// A body that nobody reads is let run out, so that the connection can serve on, but not without end.
function leavesMuch({ complete, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? Number.POSITIVE_INFINITY : 0));
  return !complete && length > mostUnread;
}
