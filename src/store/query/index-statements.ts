// The SQL of indexes, which is the same in both kinds of databases but for what a dialect has of its own.
import { lengthOf, maxListBytes, unmeasuredRows } from "../pages.ts";
import { type Collection, type Filter, idColumn, usedFilters } from "../records.ts";
import { entriesEnd } from "./conditions.ts";
import type { EntryRow, IndexReader, IndexRows, IndexStep } from "./index-page.ts";

/** What the SQL of a database has of its own. */
export interface IndexDialect {
  /** Returns the name of a table. */
  table(name: string): string;
  /** Returns the parameter with a number. */
  parameter(number: number): string;
  /** Returns the condition of a filter. */
  condition(filter: Filter, value: string): string;
  /** Returns bytes as a text in hexadecimal. */
  hex(bytes: string): string;
  /** The size of the column `record` in bytes, which is known without reading it. */
  readonly size: string;
  /** Whether a step of many entries ends with the size of their records, so that it can have more of them. */
  readonly sumsSizes: boolean;
  /** Returns a selection of `first`, an integer, `value`, bytes, and `id`, an integer, from a parameter: JSON, with bytes in hexadecimal. */
  rows(parameter: string): string;
  /** The number of records that are read at once to update indexes. */
  readonly batch: number;
  /** Returns the statements that create the triggers of a collection, and those that drop them. */
  triggers(collection: string): { readonly create: readonly string[]; readonly drop: readonly string[] };
}

/** Runs a statement, and returns its rows as arrays. */
export type RunStatement = (
  text: string,
  ...values: readonly unknown[]
) => readonly unknown[][] | Promise<readonly unknown[][]>;

/** Returns a function that reads the entries of a collection. */
export function createIndexReader(dialect: IndexDialect, collection: Collection, run: RunStatement): IndexReader {
  let hadAll = true; // whether the index lacked no record when it was read last
  const read = async <R>(step: IndexStep, hasAll: boolean) => {
    const { text, values } = stepStatement(dialect, collection, step, hasAll);
    return (await run(text, ...values)) as readonly unknown[] as readonly R[];
  };
  const isLast = ({ limit }: IndexStep, entries: readonly EntryRow[]) =>
    entries.length < limit &&
    (!dialect.sumsSizes || lengthOf(entries.map(([record]) => [record ?? ""])) * 3 < maxListBytes);
  return {
    firstStep: dialect.sumsSizes ? 4 * unmeasuredRows : unmeasuredRows,
    async read(step) {
      if (hadAll && !step.isCount) {
        const entries = await read<EntryRow>(step, true);
        if (entries.length > 0)
          return { lacking: 0, count: undefined, others: [], entries, isLast: isLast(step, entries) };
      }
      const found = toIndexRows(await read<StepRow>(step, false));
      hadAll = found?.lacking === 0;
      return found && { ...found, isLast: isLast(step, found.entries) };
    },
  };
}

type StepRow = readonly [record: string | null, number: bigint, value: string | null, count: bigint | null];

function toIndexRows(rows: readonly StepRow[]): Omit<IndexRows, "isLast"> | undefined {
  const [, lacking, , count] = rows.find(([, , value]) => value === "") ?? [];
  if (lacking === undefined) return undefined;
  return {
    lacking: Number(lacking),
    count: count ?? undefined,
    others: rows.flatMap(([record, number, value]) => (record === null || value !== null ? [] : [[record, number]])),
    entries: rows.flatMap(([record, number, value]) => (value ? [[record, number, value]] : [])),
  };
}

const maxLacking = 1_000; // records with changes that the index does not have yet
const maxLackingBytes = 1_048_576;

/**
 * Returns the statement of a step, with the values of its parameters. Its rows have a record, its number and a value: entries, then the
 * records that the index lacks, without a value. If the index can be used, one has their number, no bytes, and the count. A statement that
 * is only for an index that lacks no record has entries only, in half the time; none if the index lacks some.
 *
 * PostgreSQL finds each record by its id, and not by a hash join, which it may plan while the table is small.
 */
function stepStatement(dialect: IndexDialect, collection: Collection, step: IndexStep, hasAll: boolean) {
  const { filter = {}, specification, from, to, isAscending, planned, limit, offset, isCount } = step;
  const filters = usedFilters(collection, filter);
  const values: unknown[] = [collection.name, specification, entriesEnd, from, to];
  const add = (value: unknown) => dialect.parameter(values.push(value));
  const [name, text, behind, low, high] = values.map((_, index) => dialect.parameter(index + 1));
  const [records, entries] = [dialect.table(collection.name), dialect.table("index_entries")];
  const changes = `${dialect.table("index_changes")} WHERE collection = ${name}`;
  const index = `${dialect.table("record_indexes")} AS i WHERE collection = ${name} AND specification = ${text} AND complete = 1`;
  const matching = filters.map((one) => ` AND ${dialect.condition(one, add(filter[one.name]))}`).join("");
  const recordOf = (column: string, id: string, also = "") =>
    `(SELECT ${column} FROM ${records} AS r WHERE r.id = ${id}${also})`;
  const range = `value >= ${low} AND value < ${high}`;
  const found = (part: string, skip: (offset: string) => string) =>
    `SELECT ${recordOf("r.record", "e.id", matching)} AS record, e.id, e.value FROM (
      SELECT value, id FROM (
        SELECT value, id ${part} ORDER BY value ${isAscending ? "ASC" : "DESC"} LIMIT ${planned}${offset > 0 ? ` OFFSET ${skip(add(offset))}` : ""}
      ) AS found LIMIT ${add(limit)} + 0
    ) AS e`;
  const columns = `CAST(record AS text) AS record, id, ${dialect.hex("value")} AS value`;
  const page = (...parts: Parameters<typeof found>) =>
    dialect.sumsSizes && planned > unmeasuredRows
      ? `WITH page AS MATERIALIZED (${found(...parts)}),
          sums AS (SELECT sum(coalesce(${dialect.size}, 0)) OVER (ROWS UNBOUNDED PRECEDING) AS size FROM page AS r)
        SELECT ${columns} FROM page LIMIT (SELECT 1 + count(*) FILTER (WHERE size < ${maxListBytes}) FROM sums)`
      : `SELECT ${columns} FROM (${found(...parts)}) AS page`;
  if (hasAll) {
    // PostgreSQL makes a plan for each call if it has NOT EXISTS.
    const own = `SELECT id FROM ${index} AND (SELECT 1 FROM ${changes} LIMIT 1) IS NULL
      AND coalesce((SELECT value FROM ${entries} WHERE index_id = i.id ORDER BY value DESC LIMIT 1) < ${behind}, true)`;
    return { text: page(`FROM ${entries} WHERE index_id = (${own}) AND ${range}`, (skipped) => skipped), values };
  }
  const part = `FROM ${entries} WHERE index_id = (SELECT own FROM state) AND ${range} AND id NOT IN (SELECT id FROM lacking)`;
  const skip = (skipped: string) =>
    `coalesce((SELECT CASE WHEN ${skipped} > number THEN ${skipped} - number END FROM state), 0)`;
  const statement = `
    WITH own AS MATERIALIZED (SELECT id FROM ${index}), lacking AS MATERIALIZED (
      SELECT id FROM (SELECT id FROM ${changes} LIMIT ${maxLacking + 1}) AS changed
      UNION
      SELECT id FROM (
        SELECT id FROM ${entries} WHERE index_id = (SELECT id FROM own) AND value >= ${behind} LIMIT ${maxLacking + 1}) AS placeless
    ), state AS MATERIALIZED (
      SELECT own.id AS own, count(lacking.id) AS number
      FROM own LEFT JOIN lacking ON true
      GROUP BY own.id HAVING count(lacking.id) <= ${maxLacking}
        AND coalesce(sum(${recordOf(dialect.size, "lacking.id")}), 0) <= ${maxLackingBytes}
    )
    ${isCount ? "" : `SELECT record, id, value, NULL AS count FROM (${page(part, skip)}) AS page UNION ALL`}
    SELECT ${recordOf("CAST(r.record AS text)", "lacking.id", matching)}, lacking.id, NULL, NULL FROM state, lacking
    UNION ALL
    SELECT NULL, number, '', ${isCount ? `(SELECT count(*) ${part})` : "NULL"} FROM state`;
  return { text: statement, values };
}

/** Returns the columns of the records of a collection from which their entries are made. */
export function entryColumns(collection: Collection): string {
  return idColumn(collection) === "key" ? "CAST(r.record AS text), r.key" : "CAST(r.record AS text)";
}
