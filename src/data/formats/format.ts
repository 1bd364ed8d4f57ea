// The interface of a file format.
import type { RecordDelimiter } from "../../lib/index.ts";
import type { ImportedRecord, ImportReader } from "../../resources/index.ts";
import type { Collection } from "../../store/index.ts";

/**
 * Parses a record that is not empty. Returns the record, or undefined for a header. Throws an InvalidValue if it is invalid, and
 * another Error if no record of the input can be parsed.
 */
export type ParseRecord = (bytes: Buffer) => ImportedRecord | undefined;

/** What an export writes of each record. */
export interface Layout {
  readonly collection: Collection;
  /** Whether the ids are omitted. */
  readonly withoutIds: boolean;
  /** The names of the members that say where a record is, see `Resource.placeNames`. */
  readonly places: readonly string[];
  /** Returns the cell of a property; null for a missing value. */
  readonly toCell: (name: string, value: unknown) => string | null;
}

/** A record of an export: its JSON, and the values of the places. */
export interface ExportedRecord {
  readonly text: string;
  readonly places: Readonly<Record<string, string>>;
}

/** A file format. */
export interface Format {
  /** What it calls a field of a record. */
  readonly field: "field" | "column";
  /** Whether a file begins with a header. */
  readonly hasHeader: boolean;
  /** Creates the delimiter for one input. */
  createDelimiter(): RecordDelimiter;
  /** Creates the parser for one input. */
  createParser(reader: ImportReader): ParseRecord;
  /** Returns the text before the first record; empty if the format has no header. */
  header(layout: Layout): string;
  /** Serializes a record, including the line break. Throws an Error if the format can't have one of its members. */
  serialize(layout: Layout, record: ExportedRecord): string;
}
