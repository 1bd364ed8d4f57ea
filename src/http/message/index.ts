// Requests and responses: targets, checks, preconditions, representations.
export { crossSite, isLoopbackHost } from "./cross-site.ts";
export { matchesTag, rejectPreconditions, tagOf } from "./preconditions.ts";
export { representations } from "./representation.ts";
export { rejectUnrouted, requestChecks } from "./request-checks.ts";
export { QueryFreeLogController, withoutQuery } from "./request-log.ts";
export { normalizeTarget } from "./request-target.ts";
export { responseBatching } from "./response-batching.ts";
export { type StaticFile, serveFile } from "./static-files.ts";
