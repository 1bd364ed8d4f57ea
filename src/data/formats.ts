// The file formats of imports and exports. A pet that is exported and imported again is unchanged, and so is the
// text of an export without ids.
import type { Document } from "../spec/index.ts";
import type { NewPet, Values } from "../store/index.ts";
import { csv } from "./csv.ts";
import { ndjson } from "./ndjson.ts";
import type { RecordDelimiter } from "./record-reader.ts";

/**
 * Parses a record that is not empty. Returns the pet, or undefined for a header. Throws an HttpError if the record is
 * invalid, and another Error if no record of the input can be parsed.
 */
export type ParseRecord = (bytes: Buffer) => NewPet | undefined;

/** A file format. */
export interface Format {
  /** Creates the delimiter for one input. */
  createDelimiter(): RecordDelimiter;
  /** Creates the parser for one input. Compiles the schema NewPet, which is expensive. */
  createParser(document: Document): ParseRecord;
  /** Returns the text before the first pet; empty if the format has no header. */
  header(fields: readonly string[]): string;
  /** Serializes a pet, including the line break. `values` has the values of `fields`, null for a missing one. */
  serialize(fields: readonly string[], values: Values): string;
}

/** The formats by name. */
export const formats = { ndjson, csv };

/** The names of the formats by file extension. */
export const formatsByExtension: Readonly<Record<string, keyof typeof formats>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};
