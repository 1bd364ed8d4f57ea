// What commands print: a table for people, or JSON for programs.
import { styleText } from "node:util";
import { toJson } from "../lib/index.ts";

/** Formats rows in columns, below their heads. The heads are bold if `stream` is a terminal with colors. */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  stream: NodeJS.WritableStream,
): string {
  const widths = heads.map((_, column) => Math.max(...[heads, ...rows].map((row) => (row[column] as string).length)));
  const toLine = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd();
  return [styleText("bold", toLine(heads), { stream }), ...rows.map(toLine)].join("\n");
}

/** The value as JSON, on lines that people can read. No string in it has a control character as such (ISO 6429). */
export function toIndentedJson(value: unknown): string {
  return toJson(value, 2).replace(/[\x7f-\x9f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
}
