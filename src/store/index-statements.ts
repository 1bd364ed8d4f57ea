// The SQL of indexes, which is the same in both kinds of databases but for what a dialect has of its own.
import { entriesEnd } from "./query/conditions.ts";
import type { IndexRows, IndexStep, ReadIndex } from "./query/index-page.ts";
import { type Collection, type Filter, idColumn, usedFilters } from "./records.ts";

/** What the SQL of a database has of its own. */
export interface IndexDialect {
  /** Returns the name of a table. */
  table(name: string): string;
  /** Returns the parameter with a number. */
  parameter(number: number): string;
  /** Returns the condition of a filter. */
  condition(filter: Filter, value: string): string;
  /** The size of the column `record` in bytes, which is known without reading it. */
  readonly size: string;
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
export function createIndexReader(dialect: IndexDialect, collection: Collection, run: RunStatement): ReadIndex {
  return async (step) => {
    const { text, values } = stepStatement(dialect, collection, step);
    return toIndexRows((await run(text, ...values)) as readonly unknown[] as readonly StepRow[]);
  };
}

type StepRow = readonly [record: string | null, number: bigint, value: Uint8Array | null, count: bigint | null];

function toIndexRows(rows: readonly StepRow[]): IndexRows | undefined {
  const isState = ([, , value]: StepRow) => value !== null && entriesEnd.equals(value);
  const [, lacking, , count] = rows.find(isState) ?? [];
  if (lacking === undefined) return undefined;
  const entries = rows.filter((row) => !isState(row));
  return {
    lacking: Number(lacking),
    count: count ?? undefined,
    others: entries.flatMap(([record, number, value]) => (record === null || value ? [] : [[record, number] as const])),
    entries: entries.flatMap(([record, number, value]) =>
      value ? [[record, number, Buffer.from(value)] as const] : [],
    ),
  };
}

const maxLacking = 1_000; // records with changes that the index does not have yet
const maxLackingBytes = 1_048_576;

/**
 * Returns the statement of a step, with the values of its parameters. Its rows have a record, its number and a value: entries, then the
 * records that the index lacks, without a value. If the index can be used, one has their number, the end of all entries, and the count.
 *
 * PostgreSQL finds each record by its id, and not by a hash join, which it may plan while the table is small.
 */
function stepStatement(dialect: IndexDialect, collection: Collection, step: IndexStep) {
  const { filter = {}, specification, from, to, isAscending, planned, limit, offset, isCount } = step;
  const filters = usedFilters(collection, filter);
  const values: unknown[] = [collection.name, specification, entriesEnd, from, to];
  const add = (value: unknown) => dialect.parameter(values.push(value));
  const [name, text, behind, low, high] = values.map((_, index) => dialect.parameter(index + 1));
  const [records, entries] = [dialect.table(collection.name), dialect.table("index_entries")];
  const matching = filters.map((one) => ` AND ${dialect.condition(one, add(filter[one.name]))}`).join("");
  const skipped = offset > 0 ? add(offset) : undefined;
  const part = `FROM ${entries} WHERE index_id = (SELECT own FROM state) AND value >= ${low} AND value < ${high}
      AND id NOT IN (SELECT id FROM lacking)`;
  const recordOf = (column: string, id: string, also = "") =>
    `(SELECT ${column} FROM ${records} AS r WHERE r.id = ${id}${also})`;
  const page =
    () => `SELECT ${recordOf("CAST(r.record AS text)", "e.id", matching)} AS record, e.id, e.value, NULL AS count FROM (
      SELECT value, id FROM (
        SELECT value, id ${part} ORDER BY value ${isAscending ? "ASC" : "DESC"} LIMIT ${planned}${
          skipped
            ? ` OFFSET coalesce((SELECT CASE WHEN ${skipped} > number THEN ${skipped} - number END FROM state), 0)`
            : ""
        }
      ) AS found LIMIT ${add(limit)} + 0
    ) AS e
    UNION ALL`;
  const statement = `
    WITH own AS MATERIALIZED (
      SELECT id FROM ${dialect.table("record_indexes")} WHERE collection = ${name} AND specification = ${text} AND complete = 1
    ), lacking AS MATERIALIZED (
      SELECT id FROM (SELECT id FROM ${dialect.table("index_changes")} WHERE collection = ${name} LIMIT ${maxLacking + 1}) AS changed
      UNION
      SELECT id FROM (
        SELECT id FROM ${entries} WHERE index_id = (SELECT id FROM own) AND value >= ${behind} LIMIT ${maxLacking + 1}) AS placeless
    ), state AS MATERIALIZED (
      SELECT own.id AS own, count(lacking.id) AS number
      FROM own LEFT JOIN lacking ON true
      GROUP BY own.id HAVING count(lacking.id) <= ${maxLacking}
        AND coalesce(sum(${recordOf(dialect.size, "lacking.id")}), 0) <= ${maxLackingBytes}
    )
    ${isCount ? "" : page()}
    SELECT ${recordOf("CAST(r.record AS text)", "lacking.id", matching)}, lacking.id, NULL, NULL FROM state, lacking
    UNION ALL
    SELECT NULL, number, ${behind}, ${isCount ? `(SELECT count(*) ${part})` : "NULL"} FROM state`;
  return { text: statement, values };
}

/** Returns the columns of the records of a collection from which their entries are made. */
export function entryColumns(collection: Collection): string {
  return idColumn(collection) === "key" ? "CAST(r.record AS text), r.key" : "CAST(r.record AS text)";
}
