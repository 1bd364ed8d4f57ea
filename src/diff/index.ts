// The differences between two versions of a document, and what they mean to callers.
export { type Change, type ChangedOperation, compareDocuments } from "./changes.ts";
export { type DiffOptions, diff } from "./diff.ts";
export type { Rating } from "./keywords.ts";
