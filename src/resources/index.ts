// The resources of a document: the collections of records that a store keeps for it.
export {
  createStandardHandlers,
  type ListQuery,
  linkPages,
  readCursor,
  readIdempotencyKey,
} from "./handlers/index.ts";
export {
  collectionAbove,
  collectionsOf,
  findStandardOperations,
  type OperationKind,
  type Resource,
  readResources,
  type StandardOperation,
} from "./model/index.ts";
export {
  createIdempotencyKeyCheck,
  createRecordCheck,
  describeUnserved,
  type ImportedRecord,
  ImportReader,
  prepareRecords,
  type Upgrades,
  upgradeRecords,
} from "./records/index.ts";
export type { SeedResult } from "./seeds/index.ts";
export { openStore, type ResourceStore, type ResourceStoreOptions } from "./store.ts";
