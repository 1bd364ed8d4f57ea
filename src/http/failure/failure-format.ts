// The text of the body of a failed request.
import type { FastifyRequest } from "fastify";
import { ignoreFailure, isPromise, toJson } from "../../lib/index.ts";
import { isMediaType } from "../headers/header-syntax.ts";
import { toError } from "./application-error.ts";
import type { ErrorBody } from "./http-error.ts";

/** The request that has failed. */
export interface FailedRequest {
  /** Its id, as in the log and in X-Request-Id. */
  readonly requestId: string;
  /** Undefined if it was malformed. */
  readonly request: FastifyRequest | undefined;
  /** What the application has thrown or returned; undefined if the server has rejected the request. */
  readonly error: Error | undefined;
}

/** A body with its media type. */
export interface FormattedFailure {
  readonly type: string;
  /** A JSON value, or the text of another media type. */
  readonly body: unknown;
  /** By default, that of the failure. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Creates the body of a failed request. */
export type FormatFailure = (failure: ErrorBody, context: FailedRequest) => FormattedFailure;

const formatAsIs: FormatFailure = (failure) => ({ type: "application/json", body: failure });

/** Serializes the body of a failed request. If `format` fails, calls `onError` and uses the default shape. */
export function writeFailure(
  failure: ErrorBody,
  context: FailedRequest,
  format: FormatFailure = formatAsIs,
  onError: (error: Error) => void,
): { type: string; text: string } & Pick<FormattedFailure, "status" | "headers"> {
  try {
    const { type, body, ...others } = format(failure, context);
    if (isPromise(body)) ignoreFailure(body);
    const isText = typeof body === "string" && !/[/+]json\b/i.test(type);
    const text: string | undefined = isPromise(body) ? undefined : isText ? body : toJson(body);
    if (text === undefined) throw new Error("formatError must return an object, and not a promise or function.");
    if (typeof type !== "string" || !isMediaType(type)) throw new Error("formatError.mediaType is not a media type.");
    return { ...others, type, text };
  } catch (thrown) {
    onError(toError(thrown));
    return writeFailure(failure, context, formatAsIs, onError);
  }
}
