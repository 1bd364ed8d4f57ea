// Failed requests: the errors, their body, and who sends it.
export { toError } from "./application-error.ts";
export { type ErrorHandlerOptions, errorHandler } from "./error-handler.ts";
export {
  createFail,
  type ErrorBody,
  type ErrorDetail,
  type ErrorFormat,
  formatFailure,
  formatSeconds,
  HttpError,
  type HttpErrorCode,
  httpErrors,
  InvalidRequest,
  maxDetails,
  notFound,
  notImplemented,
  problemDetails,
  serviceUnavailable,
} from "./http-error.ts";
