// Row counts and a checksum of all rows, which show whether two stores have the same content.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Table, TableReader, Values } from "../store/index.ts";

/** The number of rows in each table. */
export type RowCounts = Readonly<Record<string, number>>;

/** Summarizes the content of a store. */
export interface StoreSummary {
  readonly counts: RowCounts;
  /** The SHA-256 of all rows, in hexadecimal. */
  readonly checksum: string;
}

/** Counts the rows of each table. */
export async function countRows(source: TableReader): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  // Sequentially: all queries of a transaction use the same connection.
  for (const { name } of source.tables) counts[name] = await source.count(name);
  return counts;
}

/**
 * Reads all rows in batches, and returns their numbers and checksum. A table without rows does not change the checksum. Awaits `onBatch`
 * for each batch before it reads the next one. Calls `progress` with the number of rows read so far, and of all.
 */
export async function summarizeRows(
  source: TableReader,
  progress: (done: number, total: number) => void,
  onBatch?: (table: Table, rows: readonly Values[]) => Promise<void>,
): Promise<StoreSummary> {
  const counts = await countRows(source);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const hash = createHash("sha256");
  let done = 0;
  for (const table of source.tables) {
    let heading = `${table.name}\n`;
    for await (const rows of source.rows(table.name)) {
      hash.update(heading);
      heading = "";
      hash.update(`${rows.map(serializeRow).join("\n")}\n`);
      await onBatch?.(table, rows);
      done += rows.length;
      progress(done, total);
      await setImmediate(); // SQLite reads synchronously: without a pause, no signal would be handled
    }
  }
  return { counts, checksum: hash.digest("hex") };
}

function serializeRow(row: Values): string {
  return row.map(valueToText).join();
}

/** Converts a value to text: bytes in hexadecimal, strings in quotes. */
export function valueToText(value: Values[number]): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}
