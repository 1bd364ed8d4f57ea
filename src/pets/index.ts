// The Pet Store: its document, handlers and error codes.
export { readDocument } from "./document.ts";
export { type Context, createContexts, type Handlers } from "./handler.ts";
export { handlers } from "./handlers.ts";
export { prepareRecords } from "./records.ts";
