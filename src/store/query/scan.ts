// Queries without an index: reads all records in steps between which others are served, and keeps those of the page.
import { setImmediate } from "node:timers/promises";
import { parseJson, QueryTooSlow } from "../../lib/index.ts";
import { type ListRow, lengthOf, maxPageBytes, numberOf, toPage } from "../pages.ts";
import type { Page, PagePosition, RecordQuery } from "../port.ts";
import type { Collection } from "../records.ts";
import { compileConditions, compileOrder, isOrdered } from "./conditions.ts";

/** What selects and orders records beside the filters of the collection. */
export type Selection = Pick<RecordQuery, "where" | "orderBy">;

/** Reads rows in the order of their numbers: up to `limit` + 1, or fewer if they have more than `maxBytes`. */
export type ReadRows = (query: RecordQuery) => Promise<readonly ListRow[]>;

const maxTime = 10_000; // milliseconds of a query
const stepTime = 2; // milliseconds
const stepRows = { min: 20, max: 2_000 };
const maxScans = 32; // at once, in a process
const maxKept = { records: 100_000, bytes: 8 * maxPageBytes }; // before the end of a page

/** Returns whether a query needs more than the filters of its collection. */
export function needsScan({ where = [], orderBy = [] }: Selection): boolean {
  return where.length > 0 || isOrdered(orderBy);
}

/** Returns a page of the records that match a query. Throws a QueryTooSlow. */
export function scanPage<R>(collection: Collection, query: RecordQuery, read: ReadRows): Promise<Page<R>> {
  return isOrdered(query.orderBy) ? sortRows(collection, query, read) : filterRows(collection, query, read);
}

/** Counts the records that match a query. Throws a QueryTooSlow. */
export async function scanCount(
  collection: Collection,
  query: Omit<RecordQuery, "limit">,
  read: ReadRows,
): Promise<bigint> {
  let count = 0n;
  for await (const _ of matchingRows(collection, query, read)) count++;
  return count;
}

async function filterRows<R>(collection: Collection, query: RecordQuery, read: ReadRows): Promise<Page<R>> {
  const { limit, offset = 0, maxBytes = maxPageBytes } = query;
  const rows: ListRow[] = [];
  let [skipped, size] = [0, 0];
  for await (const [row] of matchingRows(collection, query, read)) {
    if (skipped++ < offset) continue;
    rows.push(row);
    size += row[0].length;
    if (rows.length > limit || (size > maxBytes && rows.length > 1)) break;
  }
  return toPage(collection, rows, query);
}

/** A row, and the bytes of its place in an order: those of its members and of its number. */
type OrderedRow = readonly [record: string, number: bigint, place: Buffer];

async function sortRows<R>(collection: Collection, query: RecordQuery, read: ReadRows): Promise<Page<R>> {
  const { limit, offset = 0, orderBy = [], position, maxBytes = maxPageBytes } = query;
  const { direction, from } = readPlace(position);
  const wanted = offset + limit + 1;
  const placeOf = compileOrder(orderBy);
  const sign = direction === "forwards" ? 1 : -1;
  const inOrder = (a: OrderedRow, b: OrderedRow) => sign * a[2].compare(b[2]);
  let [kept, size]: [OrderedRow[], number] = [[], 0];
  for await (const [row, record] of matchingRows(collection, { ...query, position: undefined, orderBy: [] }, read)) {
    const number = numberOf(collection, row);
    const place = placeOf(record, number);
    if (from !== undefined && sign * place.compare(from) <= 0) continue;
    kept.push([row[0], number, place]);
    size += row[0].length;
    const isLarge = size > (offset === 0 ? 4 * maxBytes : 2 * maxKept.bytes);
    const isDeep = wanted > maxKept.records && kept.length > maxKept.records;
    if (kept.length < 2 * wanted + stepRows.min && !isLarge && !isDeep) continue;
    kept = kept.sort(inOrder).slice(0, wanted);
    if (isLarge && offset === 0) kept = fittingRows(kept, maxBytes);
    size = kept.reduce((length, [record]) => length + record.length, 0);
    if (isDeep || (isLarge && size > maxKept.bytes))
      throw new QueryTooSlow(
        `A page of an ordered list must end within the first ${maxKept.records} records and ${maxKept.bytes / 2 ** 20} MiB.`,
      );
  }
  const rows = kept
    .sort(inOrder)
    .slice(offset, wanted)
    .map(([record, number, place]): ListRow => [record, number, () => place]);
  return toPage(collection, rows, query);
}

// Those of a page, and the next one.
function fittingRows(rows: OrderedRow[], maxBytes: number): OrderedRow[] {
  let size = 0;
  const next = rows.findIndex(([record], index) => {
    size += record.length;
    return size > maxBytes && index > 0;
  });
  return next < 0 ? rows : rows.slice(0, next + 1);
}

/** Returns where a page in an order begins to be read. Throws an Error for a position in the order of creation. */
export function readPlace(position: PagePosition | undefined) {
  if (position === undefined) return { direction: "forwards" as const, from: undefined };
  const isForwards = "after" in position;
  const from = isForwards ? position.after : position.before;
  if (typeof from === "bigint") throw new Error("The position in an order must be that of a page in it.");
  return { direction: isForwards ? ("forwards" as const) : ("backwards" as const), from };
}

// In steps whose time is bounded.
async function* matchingRows(
  collection: Collection,
  { where = [], filter = {}, position, orderBy = [] }: Omit<RecordQuery, "limit">,
  read: ReadRows,
): AsyncGenerator<readonly [ListRow, unknown]> {
  if (scans >= maxScans)
    throw new QueryTooSlow(`The server runs ${maxScans} queries that no index answers. Retry later.`);
  const isMatch = compileConditions(where);
  const end = performance.now() + maxTime;
  let [start, limit] = [position, stepRows.min];
  scans++;
  try {
    for (;;) {
      await nextStep();
      const begin = performance.now();
      if (begin > end)
        throw new QueryTooSlow(`The query takes more than ${maxTime / 1000} s, because no index has what it selects.`);
      const reading = read({ limit: limit - 1, filter, position: start, orderBy, maxBytes: maxPageBytes });
      const blocked = performance.now() - begin; // SQLite reads at once
      const rows = await reading;
      const received = performance.now();
      const matching = rows.flatMap((row): (readonly [ListRow, unknown])[] => {
        const record = parseJson(row[0], Number.POSITIVE_INFINITY);
        return isMatch(record) ? [[row, record]] : [];
      });
      const elapsed = blocked + performance.now() - received;
      yield* matching;
      const last = rows.at(-1);
      if (last === undefined || (rows.length < limit && lengthOf(rows) <= maxPageBytes)) return;
      const number = numberOf(collection, last);
      start = start !== undefined && "before" in start ? { before: number } : { after: number };
      limit = Math.round(Math.min(stepRows.max, Math.max(stepRows.min, (limit * stepTime) / Math.max(elapsed, 0.1))));
    }
  } finally {
    scans--;
  }
}

let scans = 0;

let lastStep: Promise<void> = Promise.resolve();

// One step of one query in each turn of the event loop, so that several queries delay others no more than one does.
function nextStep(): Promise<void> {
  lastStep = lastStep.then(() => setImmediate());
  return lastStep;
}
