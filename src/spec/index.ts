export { deprecationHeaders } from "./deprecation.ts";
export { type Document, readDocument } from "./document.ts";
export type { Call, Caller, ErrorBody, Handler, Handlers, ListQuery, OperationId, Pagination } from "./handler.ts";
export type { Operation } from "./operation.ts";
export { type AnyHandler, buildRoute } from "./route.ts";
export { createValidatorCompiler } from "./validation.ts";
