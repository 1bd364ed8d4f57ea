// The types of handlers, and their generation.
export { type GenerateOptions, generateTypes, handlerTypes } from "./generate-types.ts";
export type { Call, Handler, HandlerResponse, Handlers, OperationId } from "./handler.ts";
export { listIntegers } from "./integer-map.ts";
export { checkTypes, type DocumentTypes, generateClientModule, generateModule } from "./modules.ts";
export { compareTypes, summarizeTypes, type TypeSummary } from "./type-summary.ts";
