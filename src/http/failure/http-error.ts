// Errors that end a request. The error codes are a fixed set, and each has one status.
import { ExpectedError, ignoreFailure, isPromise } from "../../lib/index.ts";
import { describesContent, isHeaderName, isHeaderText, isMediaType } from "../headers/index.ts";
import { toError } from "./application-error.ts";

/** The error codes of the HTTP layer, with their statuses. An application adds its own. */
export const httpErrors = {
  malformed_request: 400,
  invalid_parameter: 400,
  invalid_body: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  path_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  precondition_failed: 412,
  content_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  unavailable: 503,
} as const;

// Only services whose operations have several media types respond with these.
const negotiationErrors = { not_acceptable: 406 } as const;

const statuses = { ...httpErrors, ...negotiationErrors };

/** An error code of the HTTP layer. */
export type HttpErrorCode = keyof typeof statuses;

/** The body of a failed request. */
export interface ErrorBody<Code extends string = string, Status extends number = number> {
  /** Identifies the kind of failure, for programs. */
  readonly code: Code;
  /** Describes the failure and its remedy, for people. */
  readonly message: string;
  readonly status: Status;
  /** The invalid parts of a request. */
  readonly details?: readonly ErrorDetail[];
}

/** An invalid part of a request. */
export interface ErrorDetail {
  readonly location: "path" | "query" | "header" | "cookie" | "body";
  /** The name of a parameter, or the path of a field, such as `owner.name`. Empty for the whole body. */
  readonly name: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Returns the body of a failed request. `mediaType` is that of the body: by default, application/json. */
export interface ErrorFormat {
  (failure: ErrorBody): object;
  readonly mediaType?: string;
}

// An import would evaluate all of node:http, which takes 30 ms of each start.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Problem details (RFC 9457) of the type about:blank. Extension members have its code, and its details. */
export const problemDetails: ErrorFormat = Object.assign(
  ({ code, message, status, details }: ErrorBody) => ({
    title: STATUS_CODES[status] as string,
    status,
    detail: message,
    code,
    ...(details && { details }),
  }),
  { mediaType: "application/problem+json" },
);

/** Serializes the body of a failed request. If `format` fails, calls `onError` and uses the default shape. */
export function formatFailure(
  failure: ErrorBody,
  format: ErrorFormat | undefined,
  onError: (error: Error) => void,
): { type: string; text: string } {
  try {
    const type = format?.mediaType ?? "application/json";
    const body: unknown = format ? format(failure) : failure;
    if (isPromise(body)) ignoreFailure(body);
    const text: string | undefined = isPromise(body) ? undefined : JSON.stringify(body);
    if (text === undefined) throw new Error("formatError must return an object, and not a promise or function.");
    if (typeof type !== "string" || !isMediaType(type)) throw new Error("formatError.mediaType is not a media type.");
    return { type, text };
  } catch (thrown) {
    onError(toError(thrown));
    return formatFailure(failure, undefined, onError);
  }
}

/** The response to a failed request. */
export interface ErrorResponse<Code extends string = string, Status extends number = number> {
  readonly status: Status;
  readonly body: ErrorBody<Code, Status>;
}

/** Creates a function that returns error responses. `statuses` has the status of each error code. */
export function createFail<const Statuses extends Readonly<Record<string, number>>>(statuses: Statuses) {
  return <Code extends keyof Statuses & string>(
    code: Code,
    message: string,
  ): ErrorResponse<Code, Statuses[Code] & number> => {
    const status = statuses[code] as Statuses[Code] & number;
    // A message that quotes part of a request may end with a lone surrogate, which UTF-8 can't represent.
    return { status, body: { code, message: message.toWellFormed(), status } };
  };
}

const fail = createFail(statuses);

/** An error that ends a request. The error handler sends its response. */
export class HttpError extends ExpectedError {
  readonly response: ErrorResponse;
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>;

  /** Throws a TypeError if the code is unknown, or if a header is not valid or describes the content, which is the server's. */
  constructor(code: HttpErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message);
    if (!Object.hasOwn(statuses, code)) throw new TypeError(`There is no error code ${code}.`);
    for (const name in headers)
      if (!isHeaderName(name) || !isHeaderText(`${headers[name]}`) || describesContent(name))
        throw new TypeError(`The header ${name} is not valid, or only the server can set it.`);
    this.response = fail(code, message);
    this.headers = Object.freeze({ ...headers });
  }
}

/** The number of details of an error. Further invalid parts of a request are not searched. */
export const maxDetails = 10;

const maxMessage = 1_500; // characters

/** An error that names the invalid parts of a request. */
export class InvalidRequest extends HttpError {
  override readonly response: ErrorResponse;
  /** The invalid parts: at least one, and at most ten. */
  readonly details: readonly ErrorDetail[];

  /** Its code is that of the first detail. The message consists of those of `details`, as far as it has at most 1,500 characters. */
  constructor(details: readonly ErrorDetail[]) {
    const code = details[0]?.location === "body" ? "invalid_body" : "invalid_parameter";
    const shown = details.slice(0, maxDetails);
    const end = shown.findIndex((_, index) => joinMessages(shown.slice(0, index + 2)).length > maxMessage);
    super(code, joinMessages(end < 0 ? shown : shown.slice(0, end + 1)));
    this.details = shown.map(({ location, name, message }) => ({
      location,
      name: name.toWellFormed(),
      message: message.toWellFormed(),
    }));
    const { status, body } = fail(code, this.message);
    this.response = { status, body: { ...body, details: this.details } };
  }
}

function joinMessages(details: readonly ErrorDetail[]): string {
  return details.map(({ message }) => message).join(" ");
}

/** Returns the error for a path that does not exist. */
export function notFound(): HttpError {
  return new HttpError("path_not_found", "This path does not exist.");
}

/** Returns the error for an operation whose handler is not implemented. */
export function notImplemented(id: string): HttpError {
  return new HttpError("not_implemented", `The operation ${id} is not implemented yet.`);
}

/** Returns the error for a temporary failure. The client may retry after `seconds`. */
export function serviceUnavailable(reason: string, seconds = 1): HttpError {
  return new HttpError("unavailable", `${reason} Try again in ${formatSeconds(seconds)}.`, {
    "retry-after": `${seconds}`,
  });
}

/** Formats a number of seconds with its unit. */
export function formatSeconds(seconds: number): string {
  return `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
}
