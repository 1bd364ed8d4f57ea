// Health checks, and the metrics for operators.
export { type DeprecatedOperation, listDeprecatedOperations } from "./deprecations.ts";
export { health } from "./health.ts";
export { status } from "./status.ts";
