// The HTTP edge of a service, independent of its document.
export { clientErrors } from "./client-errors.ts";
export { backlog, type ClosedConnections, connections } from "./connections.ts";
export { cors } from "./cors.ts";
export { errorHandler } from "./error-handler.ts";
export { createFail, HttpError, type HttpErrorCode, httpErrors, notFound, notImplemented } from "./errors.ts";
export { type Certificate, createFastify, tlsOptions } from "./fastify.ts";
export { gracefulShutdown } from "./graceful-shutdown.ts";
export { decodeUtf8, jsonBody, parseBody } from "./json-body.ts";
export { lingeringClose } from "./lingering-close.ts";
export { appendHeader, serviceLinks } from "./link-header.ts";
export { loadShedding } from "./load-shedding.ts";
export { type MemoryMonitorOptions, memoryMonitor } from "./memory-monitor.ts";
export { createNetworkMatcher, toNetwork } from "./networks.ts";
export { pipelining } from "./pipelining.ts";
export { limitRate, RateLimiter } from "./rate-limit.ts";
export { requestChecks } from "./request-checks.ts";
export { createSecurityHeaders, responseHeaders } from "./security-headers.ts";
export { serveFile } from "./static-files.ts";
