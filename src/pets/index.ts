// The Pet Store: its document, handlers and error codes.
export { readDocument } from "./document.ts";
export { createContexts, type Handlers, type PetStoreApplication } from "./handler.ts";
export { handlers } from "./handlers.ts";
