// Responds to every failed request with the same error body, whether a handler, the framework or the router failed.
import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import {
  ConstraintViolation,
  QueryTooSlow,
  RecordTooLarge,
  STATUS_CODES,
  UnavailableError,
  UnstorableValue,
} from "../../lib/index.ts";
import { setHeader } from "../headers/header-syntax.ts";
import { isApplicationError, toError } from "./application-error.ts";
import { type FormatFailure, writeFailure } from "./failure-format.ts";
import { ConflictingRequest, HttpError, serviceUnavailable } from "./http-error.ts";

const maxUnread = 1_048_576; // bytes

type IsLogged = (status: number) => boolean;

export interface ErrorHandlerOptions {
  /** The Link header of error responses. */
  readonly links?: string | undefined;
  /** Returns whether a failure with this status is logged. By default, each is. */
  readonly isLogged?: IsLogged | undefined;
  /** The shape of error responses. */
  readonly format?: FormatFailure | undefined;
  /** Is called for each failure of the application's code or of a dependency, beside the log. */
  readonly onError?: ((error: Error, request: FastifyRequest) => void) | undefined;
}

/** Responds to failed requests. Logs bugs and unavailable dependencies. */
export const errorHandler = fp<ErrorHandlerOptions>(
  async (app, options) => {
    app.decorateRequest("errorCode", "");
    app.decorateRequest("callerName");
    app.decorateRequest("isHandled", false);
    app.setErrorHandler<FastifyError>((thrown, request, reply) => {
      const error = request.isHandled ? (toError(thrown) as FastifyError) : thrown;
      const httpError = toHttpError(error, request.raw);
      report(error, httpError, request, options);
      // Waits for one event-loop tick, because the connection can stay open if the rest of the body arrives.
      if (hasLargeRemainder(request.raw)) setImmediate(respond, httpError, request, reply, options);
      else respond(httpError, request, reply, options);
    });
  },
  { name: "error-handler" },
);

function report(
  error: Error,
  { response: { status, body } }: HttpError,
  request: FastifyRequest,
  { isLogged, onError }: ErrorHandlerOptions,
): void {
  const isUnavailable = error instanceof UnavailableError;
  const isBug = body.code === "internal_error";
  if (!(isUnavailable || isBug)) return;
  onError?.(error, request);
  if (isLogged?.(status) === false) return;
  const { callerName: key, log } = request;
  if (isUnavailable) log.warn({ key, reason: toReason(error) }, "a dependency is unavailable");
  else log.error({ key, err: error }, "request failed");
}

// Without a stack trace, because the cause is outside the service, and every request fails while it lasts.
function toReason({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function respond(
  error: HttpError,
  request: FastifyRequest,
  reply: FastifyReply,
  { links, format }: ErrorHandlerOptions,
): void {
  const { raw } = request;
  const { response, headers, cause } = error;
  request.errorCode = response.body.code;
  reply.headers(headers);
  // Fastify closes the connection after each body that it rejects. It stays open for the next requests, unless much of
  // the body is still to come.
  if (hasLargeRemainder(raw)) reply.header("connection", "close");
  else if (reply.hasHeader("connection") && reply.raw.shouldKeepAlive) reply.header("connection", "keep-alive");
  if (links !== undefined) setHeader(reply, "link", links);
  reply.header("cache-control", "no-store");
  if (!reply.hasHeader("x-request-id")) reply.header("x-request-id", request.id); // in an existing app
  // A 412 replaces content that has been selected already.
  for (const name of ["etag", "content-encoding", "content-length"]) reply.removeHeader(name);
  const onError = (err: Error) => request.log.error({ key: request.callerName, err }, "failed to format an error");
  const failed = { requestId: request.id, request, error: cause instanceof Error ? cause : undefined };
  const {
    type,
    text,
    status = response.status,
    headers: own = {},
  } = writeFailure(response.body, failed, format, onError);
  // As text, because the schemas of the route may not declare this status.
  reply.code(status).headers(own).type(type).send(text);
}

// Node reads the rest of an unread body before the next request, so its size must be bounded.
function hasLargeRemainder({ complete, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? (headers["transfer-encoding"] ? Number.POSITIVE_INFINITY : 0));
  return !complete && length > maxUnread;
}

const slowQueryTime = 10; // seconds that other slow queries can take

function toHttpError(error: FastifyError, { errored }: IncomingMessage): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof UnstorableValue)
    return new HttpError("malformed_request", `A text of the request ${error.message}.`);
  if (error instanceof UnavailableError) return serviceUnavailable(error.message);
  if (error instanceof QueryTooSlow)
    return new HttpError({ code: "query_too_slow", status: 503 }, error.message, { "retry-after": `${slowQueryTime}` });
  if (error instanceof ConstraintViolation) return new ConflictingRequest(error);
  if (error instanceof RecordTooLarge)
    return new HttpError(error.isTooDeep ? "invalid_body" : "content_too_large", error.message);
  return (
    (isApplicationError(error) ? undefined : (toBodyError(error, errored) ?? toStatusError(error))) ?? internalError()
  );
}

// The error of a hook, a plugin or a route of the application, with a status as Fastify reads it.
function toStatusError({ statusCode: status = 500, message }: FastifyError): HttpError | undefined {
  const name = Number.isInteger(status) && typeof message === "string" ? STATUS_CODES[status] : undefined;
  if (name === undefined || status < 400 || status === 500) return undefined;
  const code = name.toLowerCase().replaceAll(/[^a-z]+/g, "_");
  return new HttpError({ code, status }, status < 500 ? message : `${name}.`);
}

// The error of a body that Fastify can't read; undefined for any other error.
function toBodyError(error: FastifyError, errored: Error | null): HttpError | undefined {
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new HttpError(
      "unsupported_media_type",
      "The Content-Type is not a media type, and no body is accepted here.",
    );
  if (error.code === "FST_ERR_ROUTE_MISSING_CONTENT_TYPE")
    return new HttpError("unsupported_media_type", "A request of this method must have a Content-Type.");
  // All other errors of content type parsers concern the bytes of the body. A handler can fail with ECONNRESET, too.
  const isDisconnected = error.code === "ECONNRESET" && error === errored;
  const isBodyError = typeof error.code === "string" && error.code.startsWith("FST_ERR_CTP_"); // that of others can be a number
  if (isBodyError || isDisconnected)
    return new HttpError("malformed_request", `The body can't be read: ${error.message}.`);
  return undefined;
}

function internalError(): HttpError {
  return new HttpError(
    "internal_error",
    "An internal error occurred. The log of the service has the details, under the X-Request-Id of this response.",
  );
}
