// Records for a store that has none: from the examples of a document, or made.
export { type SeedResult, seedRecords } from "./seed.ts";
