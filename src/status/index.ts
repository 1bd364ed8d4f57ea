export { type DeprecatedOperation, listDeprecatedOperations, retentionDays } from "./deprecations.ts";
export { addHealth } from "./health.ts";
export { addStatusPage } from "./page.ts";
export { addStatus } from "./status.ts";
