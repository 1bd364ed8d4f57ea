// The file formats of imports and exports. A record that is exported and imported again is unchanged, except for a null of an
// optional property in CSV.
import { extname } from "node:path";
import { lineDelimiter, parseJsonBytes, requireValid, toJson } from "../../lib/index.ts";
import { withoutId } from "../../store/index.ts";
import { csv } from "./csv.ts";
import type { Format } from "./format.ts";

/** The format NDJSON: one JSON object per line, in UTF-8. */
const ndjson: Format = {
  field: "field",
  hasHeader: false,
  createDelimiter: () => lineDelimiter,
  createParser: (reader) => (bytes) => requireValid(reader.read(parseJsonBytes(bytes))),
  header: () => "",
  serialize({ collection, withoutIds, places: names }, { text, places }) {
    const record = withoutIds ? withoutId(collection, text) : text;
    if (names.length === 0) return `${record}\n`;
    return `${toJson(places).slice(0, -1)}${record === "{}" ? "" : ","}${record.slice(1)}\n`;
  },
};

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
