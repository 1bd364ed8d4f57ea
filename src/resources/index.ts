// The resources of a document: the collections of records that a store keeps for it.

export { type Plan, type PlannedAction, type PlannedCollection, type PlannedOperation, planOf } from "./plan.ts";
export type { AnsweredOperation, OperationKind } from "./recognition/answered-operation.ts";
export { findAnswered, findCreated } from "./recognition/find-answered.ts";
export { collectionsOf, readResources } from "./recognition/find-resources.ts";
export { collectionAbove } from "./recognition/parents.ts";
export type { Resource } from "./recognition/resource.ts";
export { HintError } from "./recognition/x-resource.ts";
export { createRecordHandlers, readIdempotencyKey } from "./records/handlers.ts";
export { type ImportedRecord, ImportReader } from "./records/import-reader.ts";
export { type ListQuery, linkPages, readCursor } from "./records/page-links.ts";
export { describeUnserved, prepareRecords } from "./records/prepare-records.ts";
export { createIdempotencyKeyCheck, createRecordCheck } from "./records/record-check.ts";
export { type Upgrades, upgradeRecords } from "./records/record-upgrade.ts";
export type { ResourceHandlers, ResourceOptions, ResourceSource } from "./resource-source.ts";
export type { SeedResult } from "./seeds/seed.ts";
export { openStore, type ResourceStore, type ResourceStoreOptions } from "./store.ts";
