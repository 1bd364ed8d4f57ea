// The types of handlers, and their generation.
export { type GenerateOptions, generateTypes, handlerTypes } from "./generate-types.ts";
export type { Call, Handler, HandlerResponse, Handlers, OperationId } from "./handler.ts";
export { compareTypes, summarizeTypes, type TypeSummary } from "./type-summary.ts";
export { checkTypes, type DocumentTypes, generateModule } from "./types-hash.ts";
