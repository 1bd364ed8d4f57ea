// The file formats of imports and exports. A record that is exported and imported again is unchanged, except for a null of an
// optional property in CSV.
import { extname } from "node:path";
import { csv } from "./csv.ts";
import { ndjson } from "./ndjson.ts";

/** The formats by name. */
export const formats = { ndjson, csv };

const byExtension: Readonly<Record<string, keyof typeof formats>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

/** Returns the name of the format of a file by its extension; undefined for another one. */
export function formatOf(file: string): keyof typeof formats | undefined {
  return byExtension[extname(file).toLowerCase()];
}

export type { ExportedRecord, Format, Layout, ParseRecord } from "./format.ts";
export { type InputRecord, readRecords } from "./record-reader.ts";
