// The HTTP edge of a service, independent of its document.
export { clientErrors } from "./client-errors.ts";
export { backlog, connections } from "./connections.ts";
export { cors } from "./cors.ts";
export { errorHandler } from "./error-handler.ts";
export { createFail, HttpError, type HttpErrorCode, httpErrors, notFound, notImplemented } from "./errors.ts";
export { type Certificate, createFastify } from "./fastify.ts";
export { gracefulShutdown } from "./graceful-shutdown.ts";
export { decodeUtf8, jsonBody, parseBody } from "./json-body.ts";
export { appendHeader, serviceLinks } from "./link-header.ts";
export { createLoadShedder, type LoadSheddingOptions } from "./load-shedding.ts";
export { limitRate, RateLimiter, toNetwork } from "./rate-limit.ts";
export { requestChecks } from "./request-checks.ts";
export { createSecurityHeaders, responseHeaders } from "./security-headers.ts";
export { serveFile } from "./static-files.ts";
