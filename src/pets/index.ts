export { createPagination } from "./cursor.ts";
export { readDocument } from "./document.ts";
export type { Handlers } from "./handler.ts";
export { handlers } from "./handlers.ts";
