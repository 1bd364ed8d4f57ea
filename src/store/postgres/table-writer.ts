// Reads and writes whole tables of the PostgreSQL store, within a transaction.
import type { Client } from "pg";
import { batchSize, findTable, type Table, type TableWriter, tablesOf, type Values } from "../bulk.ts";
import type { Collection, Filter } from "../records.ts";
import { violationOf } from "./postgres-constraints.ts";
import { isDuplicateKey, requireStorable } from "./postgres-errors.ts";
import { listUnneeded } from "./postgres-migrations.ts";
import { disclaimSchemas, indexedOf, listIndexes, sequenceOf, tableOf, toCondition } from "./postgres-statements.ts";

/** Reads and writes tables over one connection, which runs one query at a time. */
export class PostgresTableWriter implements TableWriter {
  readonly tables: readonly Table[];
  readonly #db: Client;
  readonly #schema: string;
  readonly #collections: readonly Collection[];

  /** `others` are the collections that the document does not have. */
  constructor(db: Client, schema: string, collections: readonly Collection[], others: readonly Collection[]) {
    this.#db = db;
    this.#schema = schema;
    this.#collections = collections;
    this.tables = tablesOf([...collections, ...others]);
  }

  async identities(): Promise<readonly Uint8Array[]> {
    return (await this.#db.query(`SELECT value FROM ${tableOf(this.#schema, "secret")}`)).rows.map(
      ({ value }) => value,
    );
  }

  unneeded(): Promise<readonly string[]> {
    return listUnneeded(this.#db, this.#schema, this.#collections);
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.#db.query(`SELECT count(*) AS n FROM ${this.#find(table).name}`);
    return Number(rows[0].n);
  }

  rows(table: string, after?: bigint): AsyncIterable<readonly Values[]> {
    const order = `ORDER BY ${findTable(this.tables, table).sortKey}`;
    return after === undefined ? this.#select(table, order) : this.#select(table, `WHERE id > $1 ${order}`, after);
  }

  matching({ name }: Collection, filter: Filter, value: unknown): AsyncIterable<readonly Values[]> {
    // A range of the index, for the same reason as in `listStatement`.
    const [indexed, sent] = [indexedOf(filter), indexedOf(filter, "$1")];
    const range = `${indexed} >= ${sent} AND ${indexed} <= ${sent}`;
    const selection = filter.contains
      ? `WHERE ${toCondition(filter, "$1")} ORDER BY id`
      : `WHERE ${range} AND ${toCondition(filter, "$1")} ORDER BY ${indexed}, id`;
    return this.#select(name, selection, value);
  }

  async *#select(table: string, selection: string, ...values: unknown[]): AsyncIterable<readonly Values[]> {
    const { name, columns } = this.#find(table);
    await this.#db.query(`DECLARE reading CURSOR FOR SELECT ${columns} FROM ${name} ${selection}`, values);
    const fetch = { text: `FETCH ${batchSize} FROM reading`, rowMode: "array" } as const;
    const next = async () => (await this.#db.query(fetch)).rows;
    try {
      for (let batch = await next(); batch.length > 0; batch = await next()) yield batch;
    } finally {
      await this.#db.query("CLOSE reading").catch(() => {}); // a failed transaction has closed it already
    }
  }

  async lastId(table: string): Promise<bigint> {
    const { rows } = await this.#db.query(`SELECT last_value, is_called FROM ${sequenceOf(this.#schema, table)}`);
    return rows[0].is_called ? rows[0].last_value : rows[0].last_value - 1n;
  }

  async *problems(): AsyncIterable<string> {
    for (const { name } of (await this.#db.query(listIndexes(this.#schema, false))).rows)
      yield `The index ${name} is invalid: PostgreSQL does not use it.`;
  }

  async add(table: string, rows: readonly Values[]): Promise<void> {
    const { name, columns, types } = this.#find(table);
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    if (types[1] === "json") requireStorableRecords(table, rows);
    const collection = this.#collections.find((one) => one.name === table);
    const disclaim = collection && disclaimSchemas(this.#schema, collection);
    if (disclaim !== undefined) await this.#db.query(disclaim);
    const insert = `INSERT INTO ${name} (${columns}) SELECT * FROM unnest(${arrays})`;
    try {
      await this.#db.query(
        insert,
        types.map((_, index) => rows.map((row) => row[index])),
      );
    } catch (error) {
      const violation = violationOf(this.#collections, error);
      if (violation) throw violation;
      if (!isDuplicateKey(error)) throw error;
      const [, id] =
        /^Key \((?:key|id)\)=\((.*)\) already exists/s.exec((error as { detail?: string }).detail ?? "") ?? [];
      throw id === undefined ? error : new Error(`Another record of ${table} has the id ${id}.`, { cause: error });
    }
  }

  async change(table: string, rows: readonly Values[]): Promise<void> {
    const { name } = this.#find(table);
    await this.#db.query(
      `UPDATE ${name} AS old SET record = new.record FROM unnest($1::bigint[], $2::json[]) AS new (id, record)
       WHERE old.id = new.id`,
      [rows.map(([id]) => id), rows.map(([, record]) => record)],
    );
  }

  async remove(table: string, first?: Values[0]): Promise<void> {
    const { name, columns } = this.#find(table);
    if (first !== undefined) await this.#db.query(`DELETE FROM ${name} WHERE ${columns[0]} = $1`, [first]);
    // TRUNCATE leaves no dead rows, but needs an exclusive lock, which only this table has.
    else await this.#db.query(table === "idempotency" ? `TRUNCATE ${name}` : `DELETE FROM ${name}`);
  }

  // A rollback does not undo setval: the caller sets the last id when nothing else can fail.
  async setLastId(table: string, id: bigint): Promise<void> {
    await this.#db.query("SELECT setval($1, $2, $3)", [sequenceOf(this.#schema, table), id || 1n, id > 0n]);
  }

  // The name in quotes, and the names and types of the columns.
  #find(table: string): { name: string; columns: readonly string[]; types: readonly string[] } {
    const found = findTable(this.tables, table);
    const [columns, types] = [Object.keys(found.columns), Object.values(found.columns)];
    return { name: tableOf(this.#schema, found.name), columns, types };
  }
}

function requireStorableRecords(table: string, rows: readonly Values[]): void {
  for (const [number, record, key = number] of rows)
    try {
      requireStorable(record as string);
    } catch (error) {
      throw new Error(`A text of ${table} ${key} ${(error as Error).message}.`);
    }
}
