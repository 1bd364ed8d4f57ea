// The HTTP edge of a service, independent of its document.
export {
  backlog,
  createNetworkMatcher,
  type MalformedRequest,
  toNetwork,
  yieldBetweenChunks,
} from "./connection/index.ts";
export { type AppEdgeOptions, addEdgeToApp, createEdge, type EdgeOptions, type RequestLog } from "./edge.ts";
export {
  createFail,
  type ErrorBody,
  type ErrorDetail,
  type ErrorHandlerOptions,
  type ErrorKind,
  errorHandler,
  type FailedRequest,
  type FormatFailure,
  type FormattedFailure,
  formatSeconds,
  HttpError,
  type HttpErrorCode,
  httpErrors,
  InvalidRequest,
  maxDetails,
  notFound,
  notImplemented,
  serviceUnavailable,
  toError,
} from "./failure/index.ts";
export { type Certificate, tlsOptions } from "./fastify.ts";
export {
  createDataHeaders,
  createSecurityHeaders,
  isFraming,
  isHeaderName,
  isHeaderText,
  isMediaType,
  setHeader,
  splitAuthorization,
} from "./headers/index.ts";
export { collectGarbageWhenIdle, defaultGracePeriod, type MemoryMonitorOptions } from "./load/index.ts";
export {
  crossSite,
  isLoopbackHost,
  matchesTag,
  rejectPreconditions,
  rejectUnrouted,
  representations,
  type StaticFile,
  serveFile,
  tagOf,
  withoutQuery,
} from "./message/index.ts";
