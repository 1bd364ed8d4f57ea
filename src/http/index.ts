// The HTTP edge of a service, independent of its document.

export { yieldBetweenChunks } from "./connection/body-flow.ts";
export type { MalformedRequest } from "./connection/client-errors.ts";
export { backlog } from "./connection/connections.ts";
export { createNetworkMatcher, toNetwork } from "./connection/networks.ts";
export type { Protection } from "./decorators.ts";
export {
  type AppEdgeOptions,
  addEdgeToApp,
  addErrorsToApp,
  createEdge,
  type EdgeOptions,
  type RequestLog,
} from "./edge.ts";
export { toError } from "./failure/application-error.ts";
export type { ErrorHandlerOptions } from "./failure/error-handler.ts";
export type { FailedRequest, FormatFailure, FormattedFailure } from "./failure/failure-format.ts";
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
} from "./failure/http-error.ts";
export { type Certificate, tlsOptions } from "./fastify.ts";
export {
  isFraming,
  isHeaderName,
  isHeaderText,
  isMediaType,
  setHeader,
  splitAuthorization,
} from "./headers/header-syntax.ts";
export { createDataHeaders, createSecurityHeaders } from "./headers/security-headers.ts";
export { collectGarbageWhenIdle } from "./load/garbage-collection.ts";
export type { MemoryMonitorOptions } from "./load/memory-monitor.ts";
export { crossSite } from "./message/cross-site.ts";
export { matchesTag, rejectPreconditions, tagOf } from "./message/preconditions.ts";
export { rejectUnrouted } from "./message/request-checks.ts";
export { withoutQuery } from "./message/request-log.ts";
export { isNormalized } from "./message/request-target.ts";
export { type StaticFile, serveFile } from "./message/static-files.ts";
