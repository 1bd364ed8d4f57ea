// Health checks, the status page, and the metrics for operators.
export { listDeprecatedOperations } from "./deprecations.ts";
export { health } from "./health.ts";
export { type DeprecatedOperation, parseStatus, type Status } from "./schema.ts";
export { status } from "./status.ts";
export { formatNumber } from "./web/format.js";
export { assessHealth, describeService, toKeyMetrics, toTables } from "./web/summary.js";
