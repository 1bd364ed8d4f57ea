// Errors that end a request. The error codes are a fixed set, and each has one status.
import { type ConstraintViolation, ExpectedError } from "../../lib/index.ts";
import { describesContent, isHeaderName, isHeaderText } from "../headers/header-syntax.ts";

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

// Only requests of browsers to what needs no credential have these.
const siteErrors = { cross_site_request: 403, misdirected_request: 421 } as const;

const statuses = { ...httpErrors, ...negotiationErrors, ...siteErrors };

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

/** The response to a failed request. */
export interface ErrorResponse<Code extends string = string, Status extends number = number> {
  readonly status: Status;
  readonly body: ErrorBody<Code, Status>;
}

type Statuses = Readonly<Record<string, number>>;

/** Returns the body of a failed request, of the media type `mediaType`; by default, the one that the document declares. */
interface Format {
  (failure: ErrorBody): unknown;
  readonly mediaType?: string;
}

type Fail<All extends Statuses> = <Code extends keyof All & string>(
  code: Code,
  message: string,
) => ErrorResponse<Code, All[Code] & number>;
type FailAs<All extends Statuses, As extends Format> = <Code extends keyof All & string>(
  code: Code,
  message: string,
) => { readonly status: All[Code] & number; readonly body: ReturnType<As> } & (As extends { mediaType: infer Type }
  ? { readonly type: Type }
  : unknown);

/**
 * Creates a function that returns error responses. `statuses` has the status of each error code. `format` creates the body, such as
 * `problemDetails`. The default is the body of the server's own errors, `{ code, message, status }`.
 */
export function createFail<const All extends Statuses>(statuses: All): Fail<All>;
export function createFail<const All extends Statuses, As extends Format>(statuses: All, format: As): FailAs<All, As>;
export function createFail(statuses: Statuses, format?: Format) {
  return (code: string, message: string) => {
    const status = statuses[code] as number;
    // A message that quotes part of a request may end with a lone surrogate, which UTF-8 can't represent.
    const failure = { code, message: message.toWellFormed(), status };
    if (format === undefined) return { status, body: failure };
    const { mediaType: type } = format;
    return { status, body: format(failure), ...(type !== undefined && { type }) };
  };
}

/** An error code of an application, with its status: 400 to 599. */
export interface ErrorKind {
  readonly code: string;
  readonly status: number;
}

/** An error that ends a request. The error handler sends its response. */
export class HttpError extends ExpectedError {
  readonly response: ErrorResponse;
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>;

  /**
   * `kind` is a code of the HTTP layer, or a code of the application with its status. Throws a TypeError if the code is
   * unknown, the status is no failure, or a header is not valid or describes the content, which is the server's.
   */
  constructor(
    kind: HttpErrorCode | ErrorKind,
    message: string,
    headers: Record<string, string> = {},
    options: ErrorOptions = {},
  ) {
    super(message, options);
    const { code, status } = typeof kind === "object" ? kind : { code: kind, status: statuses[kind] };
    if (typeof kind !== "object" && !Object.hasOwn(statuses, kind))
      throw new TypeError(`There is no error code ${kind}.`);
    if (!(Number.isInteger(status) && status >= 400 && status <= 599))
      throw new TypeError(`The error ${code} has the status ${status}, which is not one of 400 to 599.`);
    for (const name in headers)
      if (!isHeaderName(name) || !isHeaderText(`${headers[name]}`) || describesContent(name))
        throw new TypeError(`The header ${name} is not valid, or only the server can set it.`);
    this.response = createFail({ [code]: status })(code, message);
    this.headers = Object.freeze({ ...headers });
  }
}

/** The number of details of an error. Further invalid parts of a request are not searched. */
export const maxDetails = 10;

const maxMessage = 1_500; // characters

/** An error that names the invalid parts of a request. */
export class InvalidRequest extends HttpError {
  override readonly response: ErrorResponse; // with the details
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
    const { status, body } = createFail(httpErrors)(code, this.message);
    this.response = { status, body: { ...body, details: this.details } };
  }
}

const conflicts = {
  unique: { code: "not_unique", status: 409 },
  unknown: { code: "unknown_reference", status: 422 },
  referred: { code: "still_referred", status: 409 },
} as const satisfies Record<ConstraintViolation["kind"], ErrorKind>;

/** The error of a request that contradicts other records. It names the members of the body that do. */
export class ConflictingRequest extends HttpError {
  override readonly response: ErrorResponse;

  constructor({ kind, message, members }: ConstraintViolation) {
    super(conflicts[kind], message);
    const { status, body } = createFail({ [conflicts[kind].code]: conflicts[kind].status })(
      conflicts[kind].code,
      message,
    );
    const details = members.map((name) => ({ location: "body", name, message }) as const);
    this.response = { status, body: kind === "referred" ? body : { ...body, details } };
  }
}

function joinMessages(details: readonly ErrorDetail[]): string {
  return details.map(({ message }) => message).join(" ");
}

/** Returns the error for a path that does not exist. */
export function notFound(): HttpError {
  return new HttpError("path_not_found", "This path does not exist.");
}

/** Returns the error (501) of a handler that is not implemented. `id` is that of its operation. */
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
