// The records of a store: whether they match the document, and how they are changed to match another one.
export { checkRecords } from "./checked-records.ts";
export { type ImportedRecord, ImportReader } from "./import-reader.ts";
export { describeUnserved, prepareRecords } from "./prepare-records.ts";
export { createIdempotencyKeyCheck, createRecordCheck } from "./record-check.ts";
export { type UpgradeOptions, type Upgrades, upgradeRecords } from "./record-upgrade.ts";
