// The resources of a document: the collections of records that a store keeps for it.
export { createIdempotencyKeyCheck } from "./idempotency-key.ts";
export { type ListQuery, linkPages, readCursor } from "./pages.ts";
export { createRecordCheck, maxId } from "./record-check.ts";
export { type Upgrades, upgradeRecords } from "./record-upgrade.ts";
export { collectionsOf, type Resource, readResources } from "./resource.ts";
export { createStandardHandlers, readIdempotencyKey, type StandardHandlers } from "./standard-handlers.ts";
export { findStandardOperations, type OperationKind } from "./standard-operations.ts";
export { openStore, type ResourceStore, type ResourceStoreOptions } from "./store.ts";
