// Queries with an index: reads entries with their records, and merges the few records that the index lacks.
import { parseJson } from "../../lib/index.ts";
import { type ListRow, lengthOf, maxPageBytes, numberOf, toPage, toPageStart, unmeasuredRows } from "../pages.ts";
import type { Page, RecordQuery } from "../port.ts";
import { type Collection, usedFilters } from "../records.ts";
import { compileConditions, compileOrder, isOrdered } from "./conditions.ts";
import { findRange, type IndexRange } from "./index-range.ts";
import { needsScan, type ReadRows, readPlace, scanCount, scanPage } from "./scan.ts";
import { reverse } from "./value-bytes.ts";

/** A part of a range that is read at once. */
export interface IndexStep extends Pick<IndexRange, "specification" | "from" | "to"> {
  readonly filter: RecordQuery["filter"];
  readonly isAscending: boolean;
  /** The maximum number of entries, as statements are planned, and of those that are read. */
  readonly planned: number;
  readonly limit: number;
  /** The number of entries that are skipped, less the number of records that the index lacks. */
  readonly offset: number;
  /** Whether entries are counted, and not read. */
  readonly isCount: boolean;
}

/** What was read, in one snapshot. */
export interface IndexRows {
  /** The records that match the filter, but that the index does not have, or not as they are. */
  readonly others: readonly ListRow[];
  /** The number of others, also of those that do not match. */
  readonly lacking: number;
  /** The number of entries, if they are counted. */
  readonly count: bigint | undefined;
  /** Whether no other entries follow. */
  readonly isLast: boolean;
  /** The values of entries, with the numbers of their records, and the records if these match the filter. */
  readonly entries: readonly EntryRow[];
}

/** A row of an entry, with its value in hexadecimal. */
export type EntryRow = readonly [record: string | null, number: bigint, value: string];

/** Reads the entries of a collection. */
export interface IndexReader {
  /** The maximum number of entries of the first step. */
  readonly firstStep: number;
  /** Reads a step. Returns undefined if no index is complete, or it lacks many records. */
  read(step: IndexStep): Promise<IndexRows | undefined>;
}

const steps = { factor: 4, last: 512 }; // entries
const maxRead = 2_000; // entries of records that may not match

/** How the records of a collection are read, without an index and with one. */
export interface QueryReaders {
  readonly rows: ReadRows;
  readonly index: IndexReader;
}

/** Returns a page of a query with more than one filter, of an index or by a scan; undefined for others. Throws a QueryTooSlow. */
export async function queryPage<R>(
  collection: Collection,
  query: RecordQuery,
  readers: QueryReaders,
): Promise<Page<R> | undefined> {
  const isScan = needsScan(query);
  if (!isScan && usedFilters(collection, query.filter ?? {}).length < 2) return undefined;
  const range = findRange(collection, query);
  const page = range && (await indexPage<R>(collection, query, range, readers.index));
  return page ?? (isScan ? scanPage(collection, query, readers.rows) : undefined);
}

/** Counts the records that match conditions, with an index or by a scan. Throws a QueryTooSlow. */
export async function queryCount(
  collection: Collection,
  query: Omit<RecordQuery, "limit">,
  readers: QueryReaders,
): Promise<bigint> {
  const range = findRange(collection, query, true);
  const count = range && (await indexCount(query, range, readers.index));
  return count ?? scanCount(collection, query, readers.rows);
}

// Returns undefined if a scan is better.
async function indexPage<R>(
  collection: Collection,
  query: RecordQuery,
  range: IndexRange,
  index: IndexReader,
): Promise<Page<R> | undefined> {
  const { limit, offset = 0, orderBy = [], position, maxBytes = maxPageBytes, filter, where = [] } = query;
  const { specification, isExact, rest } = range;
  const order = isOrdered(orderBy) ? orderBy : [];
  const placeOf = compileOrder(order);
  const [isMatch, matchesAll] = [compileConditions(rest), compileConditions(where)];
  const { direction, from } = order.length > 0 ? readPlace(position) : toPageStart(query);
  const sign = direction === "forwards" ? 1 : -1;
  const isAscending = (direction === "forwards") !== range.isOpposite;
  const turn = (bytes: Buffer) => (range.isOpposite ? reverse(bytes) : bytes);
  let start = typeof from === "bigint" ? placeOf(undefined, from) : from && Buffer.from(from);
  const rows: ListRow[] = [];
  let skipped = 0;
  let [planned, count] = [limit < unmeasuredRows ? unmeasuredRows : index.firstStep, 0];
  for (;;) {
    const isFirst = count === 0;
    const wanted = isExact ? limit + 1 - rows.length + Math.max(0, isFirst ? 0 : offset - skipped) : planned;
    const entryLimit = Math.min(planned, wanted);
    const found = await index.read({
      specification,
      filter,
      ...boundsFrom(range, start && Buffer.concat([range.prefix, turn(start)]), isAscending),
      isAscending,
      planned,
      limit: entryLimit,
      offset: isFirst && isExact ? offset : 0,
      isCount: false,
    });
    if (found === undefined) return undefined;
    if (isFirst && isExact) skipped = Math.max(0, offset - found.lacking);
    const { entries } = found;
    const placeIn = (value: string) => turn(Buffer.from(value, "hex").subarray(range.prefix.length));
    const lastEntry = found.isLast ? undefined : entries.at(-1);
    const last = lastEntry && placeIn(lastEntry[2]);
    const others = found.others.flatMap((row): Found[] => {
      const [record, number] = [parseRecord(row[0]), numberOf(collection, row)];
      const place = placeOf(record, number);
      const isBehind = start === undefined || sign * place.compare(start) > 0;
      const isPart = isBehind && (last === undefined || sign * place.compare(last) <= 0) && matchesAll(record);
      return isPart ? [[row[0], number, () => place]] : [];
    });
    const matching = entries.flatMap(([record, number, value]): Found[] => {
      const isFound = record !== null && (rest.length === 0 || isMatch(parseRecord(record)));
      return isFound ? [[record, number, () => placeIn(value)]] : [];
    });
    const all = others.length === 0 ? matching : sortFound([...matching, ...others], sign);
    for (const [record, number, place] of all) {
      if (skipped++ < offset) continue;
      rows.push(order.length > 0 ? [record, number, place] : [record, number]);
    }
    count += entries.length;
    if (last === undefined || rows.length > limit || lengthOf(rows) > maxBytes) break;
    if (!isExact && count >= maxRead) return undefined;
    start = last;
    planned = Math.min(steps.last, planned * steps.factor);
  }
  return toPage(collection, rows.slice(0, limit + 1), query);
}

type Found = Required<ListRow>;

function sortFound(found: readonly Found[], sign: number): Found[] {
  const placed = found.map((row) => ({ row, place: row[2]() as Buffer }));
  return placed.sort((a, b) => sign * a.place.compare(b.place)).map(({ row }) => row);
}

// Returns undefined if others can be in the range, or a scan is better.
async function indexCount(
  { filter, where = [] }: Omit<RecordQuery, "limit">,
  range: IndexRange,
  index: IndexReader,
): Promise<bigint | undefined> {
  if (!range.isExact) return undefined;
  const limits = { planned: 1, limit: 1, offset: 0 };
  const found = await index.read({ ...range, ...limits, filter, isAscending: true, isCount: true });
  const isMatch = compileConditions(where);
  const others = found?.others.filter(([record]) => isMatch(parseRecord(record))).length;
  return found?.count === undefined ? undefined : found.count + BigInt(others ?? 0);
}

// Without the entries up to that of a place.
function boundsFrom({ from, to }: IndexRange, place: Buffer | undefined, isAscending: boolean) {
  if (place === undefined) return { from, to };
  const next = Buffer.concat([place, Buffer.alloc(1)]);
  if (isAscending) return { from: next.compare(from) > 0 ? next : from, to };
  return { from, to: place.compare(to) < 0 ? place : to };
}

function parseRecord(text: string): unknown {
  return parseJson(text, Number.POSITIVE_INFINITY);
}
