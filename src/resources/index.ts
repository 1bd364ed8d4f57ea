// The resources of a document: the collections of records that a store keeps for it.

export { type ListQuery, linkPages, readCursor } from "./handlers/pages.ts";
export { createStandardHandlers, readIdempotencyKey } from "./handlers/standard-handlers.ts";
export { collectionsOf, readResources } from "./model/find-resources.ts";
export { collectionAbove } from "./model/nesting.ts";
export type { Resource } from "./model/resource.ts";
export type { OperationKind, StandardOperation } from "./model/standard-operation.ts";
export { findStandardOperations } from "./model/standard-operations.ts";
export { type Plan, type PlannedAction, type PlannedCollection, type PlannedOperation, planOf } from "./plan.ts";
export { type ImportedRecord, ImportReader } from "./records/import-reader.ts";
export { describeUnserved, prepareRecords } from "./records/prepare-records.ts";
export { createIdempotencyKeyCheck, createRecordCheck } from "./records/record-check.ts";
export { type Upgrades, upgradeRecords } from "./records/record-upgrade.ts";
export type { ResourceHandlers, ResourceOptions, ResourceSource } from "./resource-source.ts";
export type { SeedResult } from "./seeds/seed.ts";
export { openStore, type ResourceStore, type ResourceStoreOptions } from "./store.ts";
