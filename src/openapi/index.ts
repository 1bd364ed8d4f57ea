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
export type { BasicCredential, Credential, UntypedHandler } from "./operation/index.ts";
export { createRecordValidator, createRowValidator, listForCors, type Operation } from "./operation/index.ts";
export { swaggerPages } from "./pages/index.ts";
export type {
  Authenticate,
  CheckCredential,
  Guard,
  SecurityContext,
  SecurityScheme,
  SecuritySchemes,
} from "./routing/index.ts";
export { type RoutesOptions, routes } from "./routing/index.ts";
export { createServer, type OpenApiOptions, openApi, type ServerOptions, type UntypedOperations } from "./server.ts";
export { serviceLinks } from "./service-links.ts";
export type { Part, Report, SchemaObject } from "./source/index.ts";
export type { Call, Handler, HandlerResponse, Handlers, OperationId } from "./types/index.ts";
export { compareTypes, summarizeTypes, type TypeSummary } from "./types/index.ts";
