export { type DeprecatedOperation, listDeprecatedOperations } from "./deprecations.ts";
export { health } from "./health.ts";
export { isStatus } from "./schema.ts";
export { status } from "./status.ts";
export * from "./web/words.js";
