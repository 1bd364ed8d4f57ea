// The spec-first server: serves the operations of an OpenAPI document. `application.ts` has the parts of which an application
// with a server of its own consists.

// Servers

export {
  createServer,
  type OpenApiOptions,
  openApi,
  type PluginEdgeOptions,
  type PluginOptions,
  type ResourceSource,
  type ServerOptions,
  type UntypedOperations,
} from "./server/index.ts";

// Handlers

export type { AnyCall, HandlerResult, SentRequest, UntypedHandler, Wrap } from "./operation/index.ts";
export type { Call, DocumentTypes, Handler, HandlerResponse, Handlers, OperationId } from "./types/index.ts";

// Errors

export { createFail, type ErrorBody, type ErrorKind, HttpError } from "../http/index.ts";
export { type ErrorFormat, type FailureContext, problemDetails } from "./operation/index.ts";
export type { MappedError } from "./routing/index.ts";

// Security

export type { BasicCredential, Credential, Operation } from "./operation/index.ts";
export type { CheckCredential, SecurityContext, SecurityScheme, SecuritySchemes } from "./routing/index.ts";
