// Failed requests: the errors, their body, and who sends it.
export { toError } from "./application-error.ts";
export { type ErrorHandlerOptions, errorHandler } from "./error-handler.ts";
export { type FailedRequest, type FormatFailure, type FormattedFailure, writeFailure } from "./failure-format.ts";
export {
  createFail,
  type ErrorBody,
  type ErrorDetail,
  type ErrorKind,
  formatSeconds,
  HttpError,
  type HttpErrorCode,
  httpErrors,
  InvalidRequest,
  maxDetails,
  notFound,
  notImplemented,
  serviceUnavailable,
} from "./http-error.ts";
