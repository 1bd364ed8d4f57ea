// The pages of a list: what selects their rows, and how rows become a page.
import { RawJson } from "../lib/index.ts";
import type { Page, RecordQuery } from "./port.ts";
import { isReversed } from "./query/conditions.ts";
import { type Collection, type Filter, idColumn, readId } from "./records.ts";

/** The direction in which a page is read, and the number of the record from which on. */
export interface PageStart {
  readonly direction: Direction;
  readonly from: bigint;
}
/** In order of the numbers, or in the opposite order. */
export type Direction = "forwards" | "backwards";

/** Returns where the query of a page in the order of creation begins to read. Throws an Error for a position in another order. */
export function toPageStart({ position, orderBy }: Pick<RecordQuery, "position" | "orderBy">): PageStart {
  const isForwards = isReversed(orderBy) === (position !== undefined && "before" in position);
  const direction = isForwards ? "forwards" : "backwards";
  if (position === undefined) return { direction, from: isForwards ? 0n : 2n ** 63n - 1n };
  const from = "after" in position ? position.after : position.before;
  if (typeof from !== "bigint") throw new Error("The position must be that of a page in the order of creation.");
  return { direction, from };
}

/** What a list selects: the filters with values, the direction, and the maximum number of rows. */
export interface ListSelection {
  readonly filters: readonly Filter[];
  readonly direction: Direction;
  readonly limit: number;
  /** The number of rows that are skipped. */
  readonly offset?: number;
}

/** A row of a list: the JSON of a record, its number if that is not its id, and a function that returns its place in another order. */
export type ListRow = readonly [record: string, number?: bigint, place?: () => Uint8Array];

/** The columns of a list. */
export function listColumns(collection: Collection): string {
  return idColumn(collection) === "id" ? "record" : "record, id";
}

/** The maximum size of a page, by default. */
export const maxPageBytes = 4_194_304;

/** The number of rows that a store reads before it looks at their size: 32 records of 1 MiB are no problem. */
export const unmeasuredRows = 32;

/** The size in bytes, as PostgreSQL stores them, with which the rows of a list end: the row that reaches it is the last. */
export const maxListBytes = 262_144;

/** Returns the number of the record of a row. */
export function numberOf(collection: Collection, row: ListRow): bigint {
  return row[1] ?? (readId(collection, row[0]) as bigint);
}

/** Returns the size of rows in UTF-16 units, each of which is up to 3 bytes. */
export function lengthOf(rows: readonly ListRow[]): number {
  return rows.reduce((length, row) => length + row[0].length, 0);
}

/** Converts up to `limit` + 1 rows to a page. Those before a position are in the opposite order. */
export function toPage<R>(
  collection: Collection,
  rows: readonly ListRow[],
  { limit, position, maxBytes = maxPageBytes }: Pick<RecordQuery, "limit" | "position" | "maxBytes">,
): Page<R> {
  let size = 0;
  const isBeyond = (row: ListRow, index: number) => {
    size += Buffer.byteLength(row[0]);
    return size > maxBytes && index > 0;
  };
  const end = lengthOf(rows) * 3 > maxBytes ? rows.findIndex(isBeyond) : -1;
  const fitting = end < 0 ? rows.length : end;
  const page = rows.slice(0, Math.min(limit, fitting));
  if (position !== undefined && "before" in position) page.reverse();
  const [first, last] = [page[0], page.at(-1)].map((row) => row && numberOf(collection, row));
  return {
    records: new RawJson(`[${page.map(([record]) => record).join(",")}]`),
    first,
    last,
    start: page[0]?.[2]?.() ?? first,
    end: page.at(-1)?.[2]?.() ?? last,
    more: rows.length > page.length,
    isShort: fitting < Math.min(limit, rows.length),
  };
}
