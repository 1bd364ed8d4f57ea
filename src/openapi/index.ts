// The spec-first server: serves the operations of an OpenAPI document.
export { createFail, type ErrorBody, type ErrorFormat, HttpError, problemDetails } from "../http/index.ts";
export { createRecordValidator } from "./body.ts";
export type { BasicCredential, Credential } from "./credentials.ts";
export {
  type Document,
  type DocumentOptions,
  type PublicUrls,
  parseDocument,
  readDocument,
  toPublicUrls,
} from "./document.ts";
export type { Call, Handler, HandlerResponse, Handlers, OperationId } from "./handler.ts";
export { listForCors, type Operation, type Report } from "./operation.ts";
export { createRowValidator } from "./parameter-group.ts";
export type { Part } from "./part.ts";
export type { Guard, UntypedHandler } from "./route.ts";
export { type RoutesOptions, routes } from "./routes.ts";
export type { SchemaObject } from "./schema/index.ts";
export type { Authenticate, CheckCredential, SecurityContext, SecurityScheme, SecuritySchemes } from "./security.ts";
export { createServer, type OpenApiOptions, openApi, type ServerOptions, type UntypedOperations } from "./server.ts";
export { serviceLinks } from "./service-links.ts";
export { swaggerPages } from "./swagger-ui.ts";
export { compareTypes, summarizeTypes, type TypeSummary } from "./type-summary.ts";
