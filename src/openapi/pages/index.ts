// Swagger UI, and the served document.
export { swaggerPages } from "./swagger-ui.ts";
