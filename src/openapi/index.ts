// The spec-first server: serves the operations of an OpenAPI document.
export { createFail, type ErrorBody, type ErrorFormat, HttpError, problemDetails } from "../http/index.ts";
export {
  type Document,
  type DocumentOptions,
  type PublicUrls,
  parseDocument,
  readDocument,
  toPublicUrls,
} from "./document/index.ts";
export {
  type BasicCredential,
  type Credential,
  createRecordValidator,
  createRowValidator,
  listForCors,
  type Operation,
  type UntypedHandler,
} from "./operation/index.ts";
export { servePublicFile, swaggerPages } from "./pages/index.ts";
export {
  type Authenticate,
  type CheckCredential,
  type Guard,
  type RoutesOptions,
  routes,
  type SecurityContext,
  type SecurityScheme,
  type SecuritySchemes,
} from "./routing/index.ts";
export { createServer, type OpenApiOptions, openApi, type ServerOptions, type UntypedOperations } from "./server.ts";
export { serviceLinks } from "./service-links.ts";
export type { Part, Report, SchemaObject } from "./source/index.ts";
export {
  type Call,
  compareTypes,
  type Handler,
  type HandlerResponse,
  type Handlers,
  type OperationId,
  summarizeTypes,
  type TypeSummary,
} from "./types/index.ts";
