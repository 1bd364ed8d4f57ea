// Reads and writes whole tables of the PostgreSQL store, within a transaction.
import type { Client } from "pg";
import { batchSize, type IdTable, sortKeys, type Table, type TableWriter, tables, type Values } from "../bulk.ts";
import { listInvalidIndexes } from "./postgres-statements.ts";

/** Reads and writes tables over one connection, which runs one query at a time. */
export class PostgresTableWriter implements TableWriter {
  readonly #db: Client;

  constructor(db: Client) {
    this.#db = db;
  }

  async identities(): Promise<readonly Uint8Array[]> {
    return (await this.#db.query("SELECT value FROM petstore.secret")).rows.map(({ value }) => value);
  }

  async count(table: Table): Promise<number> {
    const { rows } = await this.#db.query(`SELECT count(*) AS n FROM petstore.${table}`);
    return Number(rows[0].n);
  }

  rows(table: Table): AsyncIterable<readonly Values[]> {
    return this.#select(table);
  }

  petsWith(status: string): AsyncIterable<readonly Values[]> {
    return this.#select("pets", status);
  }

  async *#select(table: Table, status?: string): AsyncIterable<readonly Values[]> {
    // A range of the index, for the same reason as in `listStatement`.
    const [selection, ...values] =
      status === undefined
        ? [`ORDER BY ${sortKeys[table]}`]
        : ["WHERE status >= $1 AND status <= $1 ORDER BY status, id", status];
    const select = `SELECT ${columnsOf(table)} FROM petstore.${table} ${selection}`;
    await this.#db.query(`DECLARE reading CURSOR FOR ${select}`, [...values]);
    const fetch = { text: `FETCH ${batchSize} FROM reading`, rowMode: "array" } as const;
    const next = async () => (await this.#db.query(fetch)).rows;
    try {
      for (let batch = await next(); batch.length > 0; batch = await next()) yield batch;
    } finally {
      await this.#db.query("CLOSE reading").catch(() => {}); // a failed transaction has closed it already
    }
  }

  async lastId(table: IdTable): Promise<bigint> {
    const { rows } = await this.#db.query(`SELECT last_value, is_called FROM petstore.${table}_id_seq`);
    return rows[0].is_called ? rows[0].last_value : rows[0].last_value - 1n;
  }

  async *problems(): AsyncIterable<string> {
    for (const { name } of (await this.#db.query(listInvalidIndexes)).rows)
      yield `The index ${name} is invalid: PostgreSQL does not use it.`;
  }

  async add(table: Table, rows: readonly Values[]): Promise<void> {
    const types = Object.values(tables[table]);
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    await this.#db.query(
      `INSERT INTO petstore.${table} (${columnsOf(table)}) SELECT * FROM unnest(${arrays})`,
      types.map((_, index) => rows.map((row) => row[index])),
    );
  }

  async remove(table: Table, first?: Values[0]): Promise<void> {
    const name = `petstore.${table}`;
    if (first !== undefined) await this.#db.query(`DELETE FROM ${name} WHERE ${columnsOf(table)[0]} = $1`, [first]);
    // TRUNCATE leaves no dead rows, but needs an exclusive lock, which only this table has.
    else await this.#db.query(table === "idempotency" ? `TRUNCATE ${name}` : `DELETE FROM ${name}`);
  }

  // A rollback does not undo setval: the caller sets the last id when nothing else can fail.
  async setLastId(table: IdTable, id: bigint): Promise<void> {
    await this.#db.query("SELECT setval($1, $2, $3)", [`petstore.${table}_id_seq`, id || 1n, id > 0n]);
  }
}

function columnsOf(table: Table): string[] {
  return Object.keys(tables[table]);
}
