// Servers of a document.
export {
  createServer,
  findDocsOperation,
  type OpenApiOptions,
  openApi,
  type ServerOptions,
  type UntypedOperations,
} from "./server.ts";
export { serviceLinks } from "./service-links.ts";
