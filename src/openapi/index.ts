// The spec-first server: serves the operations of an OpenAPI document. `application.ts` has the parts of which an application
// with a server of its own consists.

// Servers

export { createServer } from "./server/create-server.ts";
export type {
  OpenApiOptions,
  PluginEdgeOptions,
  PluginOptions,
  ResourceSource,
  ServerOptions,
  UntypedOperations,
} from "./server/options.ts";
export { openApi } from "./server/plugin.ts";

// Handlers

export type { UntypedHandler } from "./operation/call.ts";
export type { HandlerResult } from "./operation/response/response.ts";
export type { SentRequest } from "./operation/sent-request.ts";
export type { AnyCall, Wrap } from "./operation/wrap.ts";
export type { Call, Handler, HandlerResponse, Handlers, OperationId } from "./types/handler.ts";
export type { DocumentTypes } from "./types/modules.ts";

// Errors

export { createFail, type ErrorBody, type ErrorKind, HttpError } from "../http/index.ts";
export { type ErrorFormat, type FailureContext, problemDetails } from "./operation/error-format.ts";
export type { MappedError } from "./routing/error-table.ts";

// Security

export type { BasicCredential, Credential } from "./operation/credentials.ts";
export type { Operation } from "./operation/operation.ts";
export {
  type CheckCredential,
  InvalidCredential,
  type SecurityContext,
  type SecurityScheme,
  type SecuritySchemes,
} from "./routing/authentication.ts";
export { createTokenCheck, type TokenCaller, type TokenCheckOptions } from "./routing/token-check.ts";
