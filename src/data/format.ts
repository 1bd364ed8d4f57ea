// The interface of a file format.
import type { Resource } from "../resources/index.ts";
import type { Collection } from "../store/index.ts";
import type { RecordDelimiter } from "./record-reader.ts";

/**
 * Parses a record that is not empty. Returns the new record, or undefined for a header. Throws an InvalidValue if it is
 * invalid, and another Error if no record of the input can be parsed.
 */
export type ParseRecord = (bytes: Buffer) => object | undefined;

/** A file format. */
export interface Format {
  /** What it calls a field of a record. */
  readonly field: "field" | "column";
  /** Creates the delimiter for one input. */
  createDelimiter(): RecordDelimiter;
  /** Creates the parser for one input. Compiles the schema of a new record, which is expensive. */
  createParser(resource: Resource): ParseRecord;
  /** Returns the text before the first record; empty if the format has no header. */
  header(collection: Collection, withoutIds: boolean): string;
  /** Serializes the JSON of a record, including the line break. */
  serialize(collection: Collection, text: string, withoutIds: boolean): string;
}
