export { createPagination } from "./cursor.ts";
export { handlers } from "./handlers.ts";
