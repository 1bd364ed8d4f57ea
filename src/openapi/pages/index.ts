// Swagger UI, and the served document.
export { servePublicFile, serviceLinks } from "./public-file.ts";
export { swaggerPages } from "./swagger-ui.ts";
