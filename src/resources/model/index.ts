// What the document says of its collections: their records, and what their operations do.
export { collectionsOf, readResources } from "./find-resources.ts";
export { collectionAbove, collectionsBelow, isParent, membersOfScope } from "./nesting.ts";
export { changeSchema, isPatchType, keyHeaderOf } from "./operation-parts.ts";
export { type PageParameters, toSnakeCase } from "./page-parameters.ts";
export type { PartOperation } from "./parts.ts";
export type { RecordMaker } from "./record/record-maker.ts";
export { itemSchemas, RecordSchema } from "./record/record-schema.ts";
export { maxScopeLength, type Resource, singleId } from "./resource.ts";
export { readsTotal, writePageMembers } from "./responses/page-members.ts";
export type { RecordFrame } from "./responses/response-frame.ts";
export type { Certainty, OperationKind, StandardList, StandardOperation } from "./standard-operation.ts";
export { findStandardOperations, type StandardOperations } from "./standard-operations.ts";
