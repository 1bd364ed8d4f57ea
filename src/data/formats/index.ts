// The file formats of imports and exports. A record that is exported and imported again is unchanged, except for a null of an
// optional property in CSV.
import { csv } from "./csv.ts";
import { ndjson } from "./ndjson.ts";

/** The formats by name. */
export const formats = { ndjson, csv };

/** The names of the formats by file extension. */
export const formatsByExtension: Readonly<Record<string, keyof typeof formats>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

export type { ExportedRecord, Format, Layout, ParseRecord } from "./format.ts";
export { type InputRecord, readRecords } from "./record-reader.ts";
