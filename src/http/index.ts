// The HTTP edge of a service, independent of its document.
export { toError } from "./application-error.ts";
export { yieldBetweenChunks } from "./body-flow.ts";
export type { MalformedRequest } from "./client-errors.ts";
export { backlog } from "./connections.ts";
export { createEdge, type EdgeOptions, type RequestLog } from "./edge.ts";
export { type ErrorHandlerOptions, errorHandler } from "./error-handler.ts";
export {
  createFail,
  type ErrorBody,
  type ErrorDetail,
  type ErrorFormat,
  HttpError,
  type HttpErrorCode,
  httpErrors,
  InvalidRequest,
  maxDetails,
  mergeInvalidRequests,
  notFound,
  notImplemented,
  problemDetails,
} from "./errors.ts";
export { type Certificate, tlsOptions } from "./fastify.ts";
export { defaultGracePeriod } from "./graceful-shutdown.ts";
export { isFraming, isHeaderName, isHeaderText, isMediaType, splitAuthorization } from "./header-syntax.ts";
export { checkMediaType, parseMediaType } from "./media-type.ts";
export type { MemoryMonitorOptions } from "./memory-monitor.ts";
export { createNetworkMatcher, toNetwork } from "./networks.ts";
export { addTag, rejectPreconditions } from "./preconditions.ts";
export { limitRate, RateLimiter } from "./rate-limit.ts";
export { representations } from "./representation.ts";
export { checkContentCoding, readBody, streamBody } from "./request-body.ts";
export { rejectUnrouted } from "./request-checks.ts";
export { withoutQuery } from "./request-log.ts";
export { createDataHeaders, createSecurityHeaders } from "./security-headers.ts";
export { setHeader } from "./set-header.ts";
export { type StaticFile, serveFile } from "./static-files.ts";
export { type AttemptCounter, type BucketState, type RateLimit, TokenBuckets } from "./token-bucket.ts";
