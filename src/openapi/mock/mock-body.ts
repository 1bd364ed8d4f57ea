// Writes the values of mock responses in the syntax of their media type.
import { HttpError } from "../../http/index.ts";
import { toJson } from "../../lib/index.ts";
import type { SchemaNode } from "../schema/node.ts";
import { essenceOf, formatOf } from "../wire/media-types.ts";
import { writeXml } from "./xml.ts";

// A field of server-sent events (HTML, section 9.2.5). A client ignores a text that has none.
const eventField = /^(data|event|id|retry)?:/m;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a value as the body of a media type. A text is returned as it is, because it is an example in that syntax; but of
 * server-sent events, one without a field is the data of an event. `node` is the schema. Throws an HttpError (501) if the mock server can't write the value so.
 */
export function writeMockBody(mediaType: string, value: unknown, node: SchemaNode | undefined): unknown {
  const essence = essenceOf(mediaType);
  const format = formatOf(mediaType);
  if (format === "json") return value === undefined ? {} : value;
  if (typeof value === "string")
    return essence === "text/event-stream" && !eventField.test(value) ? [{ data: value }] : value;
  if (value === undefined || value === null) return "";
  if (/[/+]xml$/.test(essence) && node) return writeXml(value, node);
  if (essence === "text/csv") return writeCsv(value);
  if (format === "form" && typeof value === "object") return writeForm(value as Fields);
  if (format === "text" && typeof value !== "object") return `${value}`;
  throw new HttpError(
    "not_implemented",
    `The mock server can't make a body of ${mediaType}: add an example, which is a text, to the document.`,
  );
}

function writeForm(fields: Fields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const item of Array.isArray(value) ? value : [value]) form.append(name, toText(item));
  return form.toString();
}

// RFC 4180. The first record of objects has their names.
function writeCsv(value: unknown): string {
  const records = (Array.isArray(value) ? value : [value]) as unknown[];
  const isRow = (record: unknown): record is Fields => typeof record === "object" && record !== null;
  const names = [
    ...new Set(records.flatMap((record) => (isRow(record) && !Array.isArray(record) ? Object.keys(record) : []))),
  ];
  const rows = records.map((record) =>
    Array.isArray(record) ? record : isRow(record) ? names.map((name) => record[name]) : [record],
  );
  return [...(names.length > 0 ? [names] : []), ...rows].map((row) => `${row.map(toField).join(",")}\r\n`).join("");
}

function toField(value: unknown): string {
  const text = value === undefined || value === null ? "" : toText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function toText(value: unknown): string {
  return typeof value === "object" && value !== null ? toJson(value) : `${value}`;
}
