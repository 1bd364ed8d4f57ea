// The interface of a file format.
import type { Document } from "../openapi/application.ts";
import type { NewPet, Values } from "../store/index.ts";
import type { RecordDelimiter } from "./record-reader.ts";

/**
 * Parses a record that is not empty. Returns the pet, or undefined for a header. Throws an InvalidValue if the record is
 * invalid, and another Error if no record of the input can be parsed.
 */
export type ParseRecord = (bytes: Buffer) => NewPet | undefined;

/** A file format. */
export interface Format {
  /** What it calls a field of a record. */
  readonly field: "field" | "column";
  /** Creates the delimiter for one input. */
  createDelimiter(): RecordDelimiter;
  /** Creates the parser for one input. Compiles the schema NewPet, which is expensive. */
  createParser(document: Document): ParseRecord;
  /** Returns the text before the first pet; empty if the format has no header. */
  header(fields: readonly string[]): string;
  /** Serializes a pet, including the line break. `values` has the values of `fields`, null for a missing one. */
  serialize(fields: readonly string[], values: Values): string;
}
