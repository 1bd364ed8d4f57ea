// All operations of a document, and its checks.
export { type DeclaredExample, readExamples, validationOf } from "./declared-examples.ts";
export {
  type Document,
  type DocumentOptions,
  type PublicUrls,
  parseDocument,
  readDocument,
  toPublicUrls,
} from "./document.ts";
export { createVariantConstraint, groupVariants, hasDelimiters, type VariantConstraint } from "./variants.ts";
