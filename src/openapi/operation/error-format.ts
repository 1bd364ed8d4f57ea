// The shape of error responses: the application's, that of the document, or the default one.
import type { ErrorBody, FailedRequest, FormattedFailure } from "../../http/index.ts";
import { STATUS_CODES } from "../../lib/index.ts";
import { essenceOf, isJson } from "../wire/media-types.ts";
import type { Operation } from "./operation.ts";
import { SentRequest } from "./sent-request.ts";

/** What has failed. */
export interface FailureContext {
  /** The id of the request, as in the log and in X-Request-Id. */
  readonly requestId: string;
  /** Undefined if the request was not HTTP. */
  readonly request: SentRequest | undefined;
  /** Undefined if the path is not one of the document. */
  readonly operation: Operation | undefined;
  /** The error of the application that the table `errors` has mapped; undefined if the server has rejected the request. */
  readonly error: Error | undefined;
}

/**
 * Returns the body of a failed request. `mediaType` is that of the body. By default, it is the one that the document declares for
 * the status, if it is JSON, and otherwise `application/json`.
 */
export interface ErrorFormat {
  (failure: ErrorBody, context: FailureContext): object;
  readonly mediaType?: string;
}

/** The media type of problem details (RFC 9457). */
export const problemType = "application/problem+json";

/** Problem details (RFC 9457) of the type about:blank. Extension members have its code, and its details. */
export const problemDetails = Object.assign(
  ({ code, message, status, details }: ErrorBody) => ({
    title: STATUS_CODES[status] as string,
    status,
    detail: message,
    code,
    ...(details && { details }),
  }),
  { mediaType: problemType } as const,
);

/** Returns the body of a failed request, with its media type. */
export type FormatInContext = (failure: ErrorBody, context: FailureContext) => FormattedFailure;

/**
 * Creates the format of all error responses. Without a format of the application, errors are problem details where the document
 * declares these and no other JSON.
 */
export function createErrorFormat(operations: readonly Operation[], format: ErrorFormat | undefined): FormatInContext {
  const hasOnlyProblems = prefersProblems(operations.flatMap(({ responses }) => responses.failureTypes()));
  return (failure, context) => {
    const types = context.operation?.responses.failureTypes(failure.status) ?? [];
    if (format) {
      const type = format.mediaType ?? types.find((one) => isJson(one) && !one.includes("*")) ?? "application/json";
      return { type, body: format(failure, context) };
    }
    const isProblem = types.length === 0 ? hasOnlyProblems : prefersProblems(types);
    return isProblem
      ? { type: problemType, body: problemDetails(failure) }
      : { type: "application/json", body: failure };
  };
}

/** Returns what an application gets to know about a failure. */
export function toFailureContext(failed: FailedRequest): FailureContext {
  const { requestId, request, error } = failed;
  const operation = request?.routeOptions.config?.operation;
  return { requestId, request: request && new SentRequest(request), operation, error };
}

function prefersProblems(mediaTypes: readonly string[]): boolean {
  const types = mediaTypes.filter(isJson).map(essenceOf);
  return types.length > 0 && types.every((type) => type === problemType);
}
