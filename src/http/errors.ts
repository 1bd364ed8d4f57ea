// All failures that a client can see: one table, code to status. The document lists the codes
// (Error.code, x-extensible-enum) and a test holds the two equal.

import type { ErrorBody } from "../spec/index.ts";

const statuses = {
  malformed_request: 400,
  invalid_parameter: 400,
  invalid_body: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  path_not_found: 404,
  pet_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  content_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  unavailable: 503,
} as const satisfies Record<ErrorBody["code"], number>;

/** The code of a failure, for programs. */
export type ErrorCode = ErrorBody["code"];

/** All codes, in the document's order. */
export const codes = Object.keys(statuses) as ErrorCode[];

/** The answer to a failure: the code's status, and a message for people. */
export function fail<C extends ErrorCode>(code: C, message: string): { status: (typeof statuses)[C]; body: ErrorBody } {
  const status = statuses[code];
  // What it quotes of a request may be cut, and so end with half of a surrogate pair, which is no Unicode.
  return { status, body: { code, message: message.toWellFormed(), status } };
}

/** Ends a request before its handler: a failure with the headers that belong to it. */
export class HttpError extends Error {
  readonly answer: { status: number; body: ErrorBody };
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    // It is an answer, not a fault: nobody looks at where it came from, and to find that out is dear.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.answer = fail(code, message);
    this.headers = headers;
  }
}

/** The refusal of a path that nothing is at. */
export function notFound(): HttpError {
  return new HttpError("path_not_found", "There is nothing at this path.");
}

/** The refusal of an operation whose handler is not written yet. */
export function notImplemented(id: string): HttpError {
  return new HttpError("not_implemented", `The operation ${id} is not written yet.`);
}

/** The refusal of what can't be done now: the client may send it again, after so many seconds. */
export function serviceUnavailable(why: string, seconds = 1): HttpError {
  return new HttpError("unavailable", `${why} Try again.`, { "retry-after": `${seconds}` });
}
