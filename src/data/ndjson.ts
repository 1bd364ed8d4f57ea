// NDJSON: one JSON object per line, in UTF-8.
import { parseJsonBytes, requireValid } from "../lib/index.ts";
import type { NewPet, Values } from "../store/index.ts";
import type { Format } from "./format.ts";
import { createPetValidator } from "./pet-schema.ts";
import type { RecordDelimiter } from "./record-reader.ts";

const lf = 0x0a;

// Stateless: a record of NDJSON has no line breaks.
const delimiter: RecordDelimiter = { indexOf: (chunk, start) => chunk.indexOf(lf, start), isInQuotes: () => false };

/** The format NDJSON. Records are subject to the same rules as the body of createPet. */
export const ndjson: Format = {
  field: "field",
  createDelimiter: () => delimiter,
  createParser(document) {
    const validate = createPetValidator<NewPet>(document, "NewPet");
    return (bytes) => requireValid(validate(parseJsonBytes(bytes)));
  },
  header: () => "",
  serialize(fields, values) {
    const members = fields.flatMap((field, index) => {
      const value = values[index] as Exclude<Values[number], Uint8Array>;
      return value === null ? [] : `${JSON.stringify(field)}:${toJsonText(value)}`;
    });
    return `{${members.join()}}\n`;
  },
};

function toJsonText(value: string | bigint): string {
  return typeof value === "bigint" ? `${value}` : JSON.stringify(value);
}
