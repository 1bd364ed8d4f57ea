// The errors that calls return, and that an iteration over pets throws.
import type { components, ErrorCode } from "./generated.ts";
import { parseRetryAfter } from "./retry.ts";

/**
 * An error of a call. Its code is `unreachable`, with the status 0, if the client received no response, and `unreadable`
 * if the client can't read the response, which came from a proxy for example.
 */
export interface Failure extends Omit<components["schemas"]["Error"], "code"> {
  /** Later versions of the service can add codes. */
  code: ErrorCode | "unreachable" | "unreadable" | (string & {});
  /** The `X-Request-Id` of the response: the id of the request in the log of the service. */
  requestId?: string;
  /** The seconds to wait before another try, if the response has them. */
  retryAfter?: number;
}

/** The error that an iteration over pets throws. */
export class PetStoreError extends Error {
  override readonly name = "PetStoreError";
  readonly failure: Failure;
  readonly response: Response;
  /**
   * The cursor of the page that could not be read: the same query with this cursor continues with it. Undefined if the
   * first page could not be read, or if the link to the next page is not valid.
   */
  readonly cursor: string | undefined;

  constructor(failure: Failure, response: Response, cursor?: string) {
    super(failure.message);
    this.failure = failure;
    this.response = response;
    this.cursor = cursor;
  }

  get code(): Failure["code"] {
    return this.failure.code;
  }

  get status(): number {
    return this.failure.status;
  }

  /** The invalid parts of the request. */
  get details(): Failure["details"] {
    return this.failure.details;
  }

  get requestId(): string | undefined {
    return this.failure.requestId;
  }

  get headers(): Headers {
    return this.response.headers;
  }
}

/** Returns whether the body of a response is an error of the service. */
export function isFailure(error: unknown): error is Failure {
  const { code, message, status } = Object(error) as Record<keyof Failure, unknown>;
  return typeof code === "string" && typeof message === "string" && typeof status === "number";
}

/** Adds what the headers of its response say to a failure. */
export function describe(failure: Failure, { headers }: Response): Failure {
  const [requestId, retryAfter] = [headers.get("x-request-id"), parseRetryAfter(headers.get("retry-after"))];
  return {
    ...failure,
    ...(requestId !== null && { requestId }),
    ...(retryAfter !== undefined && { retryAfter: retryAfter / 1000 }),
  };
}

/** Creates the failure of a call without a complete response. */
export function unreachable({ message, cause }: Error): Failure {
  const reason = [message, (cause as Error | undefined)?.message].filter(Boolean).join(": ");
  return { code: "unreachable", message: `The Pet Store did not respond: ${reason}.`, status: 0 };
}

/** Creates the failure of a response that the client can't read. */
export function unreadable(response: Response, body: unknown): Failure {
  const { status } = response;
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "nothing");
  const message = `Can't read the response with the status ${status}: ${text.slice(0, 200)}`;
  return describe({ code: "unreadable", message, status }, response);
}
