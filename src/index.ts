// The package: serves the operations of an OpenAPI document.

// Servers

export type { ResourceSource } from "./resources/index.ts";
export {
  createServer,
  type OpenApiOptions,
  openApi,
  type PluginEdgeOptions,
  type PluginOptions,
  type ServerOptions,
  type UntypedOperations,
} from "./server/index.ts";

// Handlers

export type {
  AnyCall,
  Call,
  DocumentTypes,
  FileOptions,
  Handler,
  HandlerResponse,
  HandlerResult,
  Handlers,
  OperationId,
  SentRequest,
  UntypedHandler,
  Wrap,
} from "./openapi/index.ts";
export { sendFile } from "./openapi/index.ts";

// Values

export type { Problem } from "./lib/index.ts";
export { createValidator, readItems, type Validated, type Validator } from "./openapi/index.ts";

// Errors

export { createFail, type ErrorBody, type ErrorKind, HttpError, notImplemented } from "./http/index.ts";
export { type ErrorFormat, type FailureContext, type MappedError, problemDetails } from "./openapi/index.ts";

// Security

export {
  type BasicCredential,
  type CheckCredential,
  type Credential,
  createTokenCheck,
  InvalidCredential,
  type Operation,
  type SecurityContext,
  type SecurityScheme,
  type SecuritySchemes,
  type TokenCaller,
  type TokenCheckOptions,
} from "./openapi/index.ts";
export type { RateLimit } from "./operate/index.ts";
