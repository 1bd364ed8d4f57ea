// Formats the output of commands: tables and fields for people, JSON for programs. Escapes the control characters of all
// values, because a terminal would interpret those of a database.
import { styleText } from "node:util";
import { escapeControlCharacters, toJson } from "../lib/index.ts";
import { type Io, print } from "./io.ts";

/** The output options of a command. */
export interface OutputOptions {
  json?: boolean;
}

/** Formats rows in columns, below their headings. The headings are bold if `stream` is a terminal with colors. */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  stream: NodeJS.WritableStream,
): string {
  const lines = [heads, ...rows].map((row) => row.map(escapeControlCharacters));
  const widths = heads.map((_, column) => Math.max(...lines.map((row) => (row[column] as string).length)));
  const toLine = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd();
  const [head = "", ...body] = lines.map(toLine);
  return [styleText("bold", head, { stream }), ...body].join("\n");
}

/** Formats the properties of an object, one per line. */
export function formatFields(object: object): string {
  const width = Math.max(18, ...Object.keys(object).map((name) => name.length + 2));
  return Object.entries(object)
    .map(([name, value]) => `${name.padEnd(width)}${escapeControlCharacters(`${value}`)}`)
    .join("\n");
}

/** Serializes a value to indented JSON. Escapes all control characters (C0, DEL and C1 of ISO 6429). */
export function toIndentedJson(value: unknown): string {
  return toJson(value, 2).replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Prints an object as JSON, or as one property per line. */
export function printFields(io: Io, object: object, { json }: OutputOptions): Promise<void> {
  return print(io, json ? toIndentedJson(object) : formatFields(object));
}
