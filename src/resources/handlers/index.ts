// Handlers that answer operations from records.
export { type ListQuery, linkPages, readCursor } from "./pages.ts";
export { createStandardHandlers, readIdempotencyKey, type StandardHandlers } from "./standard-handlers.ts";
