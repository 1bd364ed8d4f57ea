// The lists of a collection in PostgreSQL. Concurrent lists of all records share one query.
import { RawJson } from "../../lib/index.ts";
import { Batcher } from "../batcher.ts";
import {
  type Direction,
  type ListRow,
  type ListSelection,
  lengthOf,
  listColumns,
  maxListBytes,
  maxPageBytes,
  numberOf,
  type PageStart,
  toPage,
  toPageStart,
  unmeasuredRows,
} from "../pages.ts";
import type { Page, RecordQuery, RecordStore } from "../port.ts";
import { isReversed } from "../query/conditions.ts";
import { queryCount, queryPage } from "../query/index-page.ts";
import { createIndexReader } from "../query/index-statements.ts";
import { type Collection, type Filter, type FilterValues, usedFilters } from "../records.ts";
import { batchLimits, type Queries } from "./connection-pool.ts";
import { requireStorableText } from "./postgres-errors.ts";
import { createDialect } from "./postgres-indexes.ts";
import { indexedOf, tableOf, toCondition, toStatement } from "./postgres-statements.ts";

/** A page of all records: the number from which on it is read, and the maximum number of its records. */
type SharedPage = PageStart & Pick<RecordQuery, "limit">;

/** The records as JSON, joined by commas, the first and the last number, whether more follow, and the greatest size in bytes. */
type SharedRow = [text: string | null, first: bigint | null, last: bigint | null, more: boolean, bytes: bigint | null];

interface ListParts {
  readonly schema: string;
  readonly collection: Collection;
  readonly pool: Queries;
}

/** Returns the methods that list and count the records of a collection. */
export function createPostgresLists<R>(parts: ListParts): Pick<RecordStore<R>, "list" | "count"> {
  const { schema, collection, pool } = parts;
  const limits = { ...batchLimits, maxBatch: 32 }; // up to 2 MiB
  const batcherOf = (direction: Direction) =>
    new Batcher<SharedPage, Page<R> | undefined>(limits, (pages) => readPages(parts, direction, pages));
  const pages = { forwards: batcherOf("forwards"), backwards: batcherOf("backwards") };
  const readers = {
    rows: (step: RecordQuery) => listRows(parts, step),
    index: createIndexReader(createDialect(schema), collection, (text, ...values) =>
      pool.query<unknown[]>(toStatement(`${collection.name}_list`, text, "array"), ...values.map(requireStorableText)),
    ),
  };
  return {
    list: async (query) => {
      const found = await queryPage<R>(collection, query, readers);
      if (found) return found;
      const { limit, offset, filter = {}, maxBytes } = query;
      const start = toPageStart(query);
      const isOfAll = usedFilters(collection, filter).length === 0 && offset === undefined;
      // A list with a filter can be slow, and would delay the others of its query.
      const isShared = isOfAll && limit < unmeasuredRows && maxBytes === undefined && !isReversed(query.orderBy);
      const page = isShared ? await pages[start.direction].add({ ...start, limit }) : undefined;
      return page ?? toPage(collection, await listRows(parts, query), query);
    },
    count: async (filter = {}, where = []) => {
      if (where.length > 0) return queryCount(collection, { filter, where }, readers);
      const { filters, values } = readFilter(collection, filter);
      const statement = toStatement(`${collection.name}_count`, countStatement(schema, collection, filters));
      const [row] = await pool.query(statement, ...values);
      return row?.records as bigint;
    },
  };
}

function readFilter(collection: Collection, filter: FilterValues) {
  const filters = usedFilters(collection, filter);
  return { filters, values: filters.map(({ name }) => requireStorableText(filter[name])) };
}

// In parts, if the records are large.
async function listRows({ schema, collection, pool }: ListParts, query: RecordQuery): Promise<ListRow[]> {
  const { limit, offset, filter = {}, maxBytes = maxPageBytes } = query;
  const { direction, from } = toPageStart(query);
  const { filters, values } = readFilter(collection, filter);
  const rows: ListRow[] = [];
  let [start, skipped] = [from, offset];
  for (;;) {
    const count = limit + 1 - rows.length;
    const selection = { filters, direction, limit: count, ...(skipped !== undefined && { offset: skipped }) };
    const statement = toStatement(`${collection.name}_list`, listStatement(schema, collection, selection), "array");
    const skip = skipped === undefined ? [] : [skipped];
    const found = await pool.query<ListRow>(statement, ...values, start, count, ...skip);
    rows.push(...found);
    const last = found.at(-1);
    // Those that are stored in less are all that there are.
    if (last === undefined || found.length === count || lengthOf(found) * 3 < maxListBytes) break;
    if (lengthOf(rows) > maxBytes) break;
    start = numberOf(collection, last);
    skipped = undefined;
  }
  return rows;
}

// Returns undefined for a page whose records are large: it is read alone.
async function readPages<R>(
  { schema, collection, pool }: ListParts,
  direction: Direction,
  pages: readonly SharedPage[],
): Promise<(Page<R> | undefined)[]> {
  if (pages.length === 1) return [undefined];
  const statement = toStatement(`${collection.name}_list`, pagesStatement(schema, collection, direction), "array");
  pool.metrics.observeBatch(statement.method, pages.length);
  const column = (name: "from" | "limit") => pages.map((page) => page[name]);
  const rows = await pool.query<SharedRow>(statement, column("from"), column("limit"));
  return rows.map(([text, first, last, more, bytes]) => {
    if (Number(bytes) > maxSharedBytes) return undefined;
    const records = new RawJson<R[]>(`[${text ?? ""}]`);
    const [start, end] = [first ?? undefined, last ?? undefined];
    return { records, first: start, last: end, start, end, more, isShort: false };
  });
}

const minPlannedLimit = 32;

/**
 * Returns the text of the statement that lists the records that match filters. Its parameters are the values of the filters, the
 * number of the record from which on the page is read, the number of records, which is at most `limit`, and that of those that are
 * skipped, if there is an offset. Of more than 33 rows, it returns fewer if they reach `maxListBytes`.
 */
export function listStatement(schema: string, collection: Collection, selection: ListSelection): string {
  const { filters, direction, limit: maxRows, offset } = selection;
  const [start, limit] = [`$${filters.length + 1}`, `$${filters.length + 2}`];
  const [beyond, upTo, order] = direction === "forwards" ? [">", "<=", "ASC"] : ["<", ">=", "DESC"];
  // A range of the index on one value and the id, in its order. With `status = $1 ORDER BY id`, PostgreSQL may scan the
  // primary key instead, and skip millions of records of other statuses.
  const range = filters.find(({ contains }) => !contains);
  const conditions = filters.map((filter, index) => {
    const value = `$${index + 1}`;
    if (filter !== range) return toCondition(filter, value);
    const [indexed, sent] = [indexedOf(filter), indexedOf(filter, value)];
    const inRange = `(${indexed}, id) ${beyond} (${sent}, ${start}) AND ${indexed} ${upTo} ${sent}`;
    return filter.isLong ? `${inRange} AND ${toCondition(filter, value)}` : inRange;
  });
  if (range === undefined) conditions.push(`id ${beyond} ${start}`);
  const orders = [...(range === undefined ? [] : [indexedOf(range)]), "id"]
    .map((name) => `${name} ${order}`)
    .join(", ");
  // The number of rows is a parameter, which PostgreSQL expects to be a tenth of the table. It would plan the statement again for
  // each run. With a constant, a power of two, it keeps the plan, which saves a third of the time of a page.
  const planned = 2 ** Math.ceil(Math.log2(Math.max(minPlannedLimit, maxRows + (offset ?? 0))));
  const rows = `SELECT record, id FROM ${tableOf(schema, collection.name)} WHERE ${conditions.join(" AND ")} ORDER BY ${orders} LIMIT ${planned}`;
  const skipped = offset === undefined ? "" : ` OFFSET $${filters.length + 3}`;
  const columns = listColumns(collection);
  if (maxRows <= unmeasuredRows + 1) return `SELECT ${columns} FROM (${rows}) AS page LIMIT ${limit}${skipped}`;
  // PostgreSQL knows the compressed size of a large record without reading it.
  return `
    WITH page AS MATERIALIZED (SELECT record, id FROM (${rows}) AS page LIMIT ${limit}${skipped}),
      sums AS (SELECT sum(pg_column_size(record)) OVER (ROWS UNBOUNDED PRECEDING) AS size FROM page)
    SELECT ${columns} FROM page LIMIT (SELECT 1 + count(*) FILTER (WHERE size < ${maxListBytes}) FROM sums)`;
}

/** The maximum size in bytes of the records of a page that is read with others. */
const maxSharedBytes = 65_536;
const maxCompression = 100; // pglz makes up to 1/90 of a text

/**
 * Returns the text of the statement that reads several pages of all records. Its parameters are the numbers from which on the pages are
 * read, and their maximum numbers of records, below `unmeasuredRows`. Its rows are those of `SharedRow`.
 */
export function pagesStatement(schema: string, collection: Collection, direction: Direction): string {
  const [beyond, order] = direction === "forwards" ? [">", "ASC"] : ["<", "DESC"];
  const isOnPage = `FILTER (WHERE place <= size AND bytes <= ${maxSharedBytes})`;
  return `
    SELECT string_agg(record::text, ',' ORDER BY id) ${isOnPage}, min(id) ${isOnPage}, max(id) ${isOnPage}, count(id) > size, max(bytes)
    FROM unnest($1::bigint[], $2::int[]) WITH ORDINALITY AS pages (start, size, number)
    LEFT JOIN LATERAL (
      SELECT record, id, row_number() OVER found AS place, sum(pg_column_size(record) * CASE WHEN pg_column_compression(record) IS NULL THEN 1 ELSE ${maxCompression} END) OVER found AS bytes
      FROM (SELECT record, id FROM ${tableOf(schema, collection.name)} WHERE id ${beyond} start ORDER BY id ${order} LIMIT ${unmeasuredRows}) AS rows
      WINDOW found AS (ORDER BY id ${order})
    ) AS page ON place <= size + 1
    GROUP BY number, size ORDER BY number`;
}

/** Returns the text of the statement that counts the records that match filters. Its parameters are their values. */
export function countStatement(schema: string, collection: Collection, filters: readonly Filter[]): string {
  const conditions = filters.map((filter, index) => {
    const value = `$${index + 1}`;
    const indexed = `${indexedOf(filter)} = ${indexedOf(filter, value)}`;
    return filter.isLong && !filter.contains
      ? `${indexed} AND ${toCondition(filter, value)}`
      : toCondition(filter, value);
  });
  return `SELECT count(*) AS records FROM ${tableOf(schema, collection.name)} WHERE ${["true", ...conditions].join(" AND ")}`;
}
