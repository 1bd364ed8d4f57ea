// Swagger UI, and the served document.
export { servePublicFile } from "./public-file.ts";
export { swaggerPages } from "./swagger-ui.ts";
