// CSV (RFC 4180) with a header, in UTF-8. An empty field without quotes is null, or a missing value if the column is optional.
//
// csv-parse 7.0.3 was considered. It was ruled out because `skip_records_with_error` also drops valid records that
// follow a malformed one: after `5,"a"b` it reports only that a quote is never closed. An import reports every
// malformed record with its lines, and imports all others.

import type { RecordDelimiter } from "../../lib/index.ts";
import { decodeUtf8, ExpectedError, InvalidValue, parseJson, requireValid, shorten } from "../../lib/index.ts";
import type { TableRow } from "../../openapi/index.ts";
import type { Format, Layout } from "./format.ts";

const [lf, quote, comma] = Buffer.from('\n",') as unknown as [number, number, number];

/** The format CSV. Accepts LF and CRLF, and the columns in any order. */
export const csv: Format = {
  field: "column",
  hasHeader: true,
  createDelimiter: createQuoteAwareDelimiter,
  createParser(reader) {
    let columns: string[] | undefined;
    return (bytes) => {
      if (columns === undefined) {
        columns = parseHeader(bytes, reader.columns, reader.requiredColumns);
        return undefined;
      }
      return requireValid(reader.readRow(parseRow(bytes, columns)));
    };
  },
  header: (layout) => `${columnsOf(layout).map(quoteField).join()}\r\n`,
  serialize(layout, { text, places }) {
    const { toCell } = layout;
    const record = parseJson(text) as Readonly<Record<string, unknown>>;
    const other = Object.keys(record).find((name) => !layout.collection.properties.includes(name));
    if (other !== undefined)
      throw new ExpectedError(
        `A record has the property '${shorten(other)}', which the document does not declare, so that CSV has no column for it. Use the format ndjson.`,
      );
    // A property can have the name of a member that each object inherits, such as `constructor`.
    const cellOf = (name: string) =>
      Object.hasOwn(places, name)
        ? (places[name] as string)
        : toCell(name, Object.hasOwn(record, name) ? record[name] : undefined);
    return `${columnsOf(layout)
      .map((name) => quoteField(cellOf(name)))
      .join()}\r\n`;
  },
};

/** Creates a delimiter that skips line breaks inside quoted fields. */
function createQuoteAwareDelimiter(): RecordDelimiter {
  let inQuotes = false;
  let canOpen = true; // a quote opens a field only at the start of the field, or after another quote (an escaped quote)
  const indexOf = (chunk: Buffer, start: number): number => {
    for (let index = start; index < chunk.length; index++) {
      const byte = chunk[index];
      if (inQuotes) {
        inQuotes = byte !== quote;
        canOpen = !inQuotes;
      } else if (byte === lf) {
        canOpen = true;
        return index;
      } else {
        inQuotes = canOpen && byte === quote;
        canOpen = byte === comma;
      }
    }
    return -1;
  };
  return { indexOf, isInQuotes: () => inQuotes };
}

// Throws an Error and not an InvalidValue: without a valid header, no record can be parsed.
function parseHeader(bytes: Buffer, allowed: readonly string[], required: readonly string[]): string[] {
  const rule = `Allowed columns: ${allowed.join(", ")}.`;
  const columns = splitHeader(bytes, rule);
  const unknown = columns.find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw new Error(`The header has the unknown column '${shorten(unknown)}'. ${rule}`);
  const missing = required.find((name) => !columns.includes(name));
  if (missing !== undefined) throw new Error(`The header must have the column '${missing}'. ${rule}`);
  const duplicate = columns.find((name, index) => columns.indexOf(name) !== index);
  if (duplicate !== undefined) throw new Error(`The header has the column '${duplicate}' twice. ${rule}`);
  return columns;
}

function splitHeader(bytes: Buffer, rule: string): string[] {
  try {
    return splitFields(decodeUtf8(bytes)).map((name) => name ?? "");
  } catch (error) {
    throw new Error(`The header ${(error as InvalidValue).requirement}. ${rule}`);
  }
}

function parseRow(bytes: Buffer, columns: readonly string[]): TableRow {
  const values = splitFields(decodeUtf8(bytes));
  if (values.length !== columns.length)
    throw new InvalidValue(`must have ${columns.length} fields, as the header has, but has ${values.length}`);
  return Object.fromEntries(values.map((value, index) => [columns[index] as string, value]));
}

const fieldPattern = /"([^"]*(?:""[^"]*)*)"|[^",]*/y;

// null is an empty field without quotes.
function splitFields(text: string): (string | null)[] {
  const values: (string | null)[] = [];
  let comma = -1; // the index of the comma before the field
  do {
    fieldPattern.lastIndex = comma + 1;
    const [whole, quoted] = fieldPattern.exec(text) as unknown as [string, string | undefined];
    values.push(quoted?.replaceAll('""', '"') ?? (whole === "" ? null : whole));
    comma = fieldPattern.lastIndex;
  } while (text[comma] === ",");
  if (comma === text.length) return values;
  const rule = "enclose the field in quotes, and double each quote in it";
  throw new InvalidValue(`has invalid quotes in field ${values.length}: ${rule}`);
}

function columnsOf({ collection: { id, properties }, withoutIds, places }: Layout): readonly string[] {
  return [...places, ...(withoutIds ? properties.filter((name) => name !== id) : properties)];
}

// A missing value is an empty field, and an empty text one with quotes.
function quoteField(text: string | null): string {
  if (text === null) return "";
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
