// The resources of a document: the collections of records that a store keeps for it.

export { countAnswered, describeAction, describeDoubts, describePlan } from "./plan-text.ts";
export { collectionsOf, readResources } from "./recognition/collections/find-collections.ts";
export { refersTo } from "./recognition/collections/parents.ts";
export { listUnanswered, planOf } from "./recognition/find-plan.ts";
export { isDescending, type OrderPlan, readSort } from "./recognition/lists/list-order.ts";
export { type PageMember, readsTotal } from "./recognition/lists/page-facts.ts";
export { formatOf, versionOf } from "./recognition/paths.ts";
export type { Plan, PlannedAction, PlannedCollection, PlannedOperation } from "./recognition/plan.ts";
export { HintError } from "./recognition/x-resource.ts";
export type { OperationKind } from "./record/collection-plan.ts";
export type { Resource } from "./record/resource.ts";
export type { Comparison, HandlerPage, HandlerQuery, HandlerRecords, Where } from "./records/handler-query.ts";
export { createRecordHandlers } from "./records/handlers.ts";
export { type ImportedRecord, ImportReader } from "./records/import/import-reader.ts";
export { type Upgrades, upgradeRecords } from "./records/import/outdated-records.ts";
export { describeUnserved, prepareRecords } from "./records/import/prepare-records.ts";
export { createIdempotencyKeyCheck, createRecordCheck } from "./records/import/record-check.ts";
export { type ListQuery, linkPages, readCursor } from "./records/lists/page-links.ts";
export { repeatsResponses, responsesCollection } from "./records/repeated-responses.ts";
export { readIdempotencyKey } from "./records/requests/idempotency-key.ts";
export type { ResourceHandlers, ResourceOptions, ResourceSource } from "./resource-source.ts";
export type { SeedResult } from "./seeds/seed.ts";
export { type Collections, openStore, type ResourceStore, type ResourceStoreOptions } from "./store.ts";
