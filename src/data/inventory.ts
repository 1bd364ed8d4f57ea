// What a store has, so that it can be compared: how many rows, and a checksum over all of them.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type Table, type TableReader, tables, type Values } from "../store/index.ts";

/** The tables, in the order in which they are read. */
export const tableNames = Object.keys(tables) as Table[];

/** How many rows each table has. */
export type Counts = Readonly<Record<Table, number>>;

/** The rows of each table, and a SHA-256 over all of them. */
export interface Inventory {
  readonly counts: Counts;
  readonly checksum: string;
}

/** Counts the rows. */
export async function countRows(source: TableReader): Promise<Counts> {
  const counts: Partial<Record<Table, number>> = {};
  // One after the other: a connection answers one question at a time.
  for (const name of tableNames) counts[name] = await source.count(name);
  return counts as Counts;
}

/** All rows together. */
export function totalRows(counts: Counts): number {
  return tableNames.reduce((sum, name) => sum + counts[name], 0);
}

/** Reads all rows, hands them to `take` if there is one, a batch at a time, and gives their checksum. */
export async function readAllRows(
  source: TableReader,
  progress: (done: number) => void,
  take?: (table: Table, rows: readonly Values[]) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  for (const name of tableNames) {
    hash.update(`${name}\n`);
    for await (const rows of source.rows(name)) {
      hash.update(`${rows.map(toLine).join("\n")}\n`);
      await take?.(name, rows);
      done += rows.length;
      progress(done);
      await setImmediate(); // two embedded stores never wait for anything: signals would not be heard
    }
  }
  return hash.digest("hex");
}

function toLine(row: Values): string {
  return row.map(toText).join();
}

/** A value of a row as text: bytes in hexadecimal, texts in quotes. */
export function toText(value: Values[number]): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}
