// The types of handlers, and their generation.
export { generateTypes, handlerTypes } from "./generate-types.ts";
export type { Call, Handler, HandlerResponse, Handlers, OperationId } from "./handler.ts";
export { compareTypes, summarizeTypes, type TypeSummary } from "./type-summary.ts";
