// NDJSON: one JSON object per line, in UTF-8.
import { parseJsonBytes, requireValid } from "../lib/index.ts";
import { withoutId } from "../store/index.ts";
import type { Format } from "./format.ts";
import type { RecordDelimiter } from "./record-reader.ts";

const lf = 0x0a;

// Stateless: a record of NDJSON has no line breaks.
const delimiter: RecordDelimiter = { indexOf: (chunk, start) => chunk.indexOf(lf, start), isInQuotes: () => false };

/** The format NDJSON. Records are subject to the same rules as the body of the operation that creates one. */
export const ndjson: Format = {
  field: "field",
  createDelimiter: () => delimiter,
  createParser(resource) {
    const validate = resource.createValidator("new record");
    return (bytes) => requireValid(validate(parseJsonBytes(bytes)));
  },
  header: () => "",
  serialize: (collection, text, withoutIds) => `${withoutIds ? withoutId(collection, text) : text}\n`,
};
