// The spec-first server: serves the operations of an OpenAPI document.
export { type Document, type PublicUrls, parseDocument, toPublicUrls } from "./document.ts";
export type { Application, Call, Handler, HandlerResponse, Handlers, OperationId } from "./handler.ts";
export { listForCors, type Operation } from "./operation.ts";
export type { Guard } from "./route.ts";
export { type RoutesOptions, routes } from "./routes.ts";
export type { Authenticate, SecurityScheme, SecuritySchemes } from "./security.ts";
export { errorFields, type Signature, type Signatures } from "./signature.ts";
export { checkSignatures } from "./signature-check.ts";
export { createValidatorCompiler } from "./validation.ts";
