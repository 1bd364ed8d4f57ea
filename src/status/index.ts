// Health checks, and the metrics for operators.
export { health } from "./health.ts";
export { status } from "./status.ts";
