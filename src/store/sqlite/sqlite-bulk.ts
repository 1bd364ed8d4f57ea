// Bulk access to the tables of the SQLite store.
import type { DatabaseSync } from "node:sqlite";
import {
  batchSize,
  type IdTable,
  sortKeys,
  type Table,
  type TableReader,
  type Tables,
  type TableWriter,
  tables,
  type Values,
} from "../bulk.ts";
import type { OpenMode } from "../port.ts";
import { findProblems } from "./integrity.ts";
import { openDatabase } from "./sqlite-connection.ts";
import { statements } from "./sqlite-statements.ts";

/** Opens the tables of the store in `file`. Throws like `openDatabase`. */
export function openSqliteTables(file: string, mode: OpenMode): Tables {
  const db = openDatabase(file, mode);
  db.exec("PRAGMA busy_timeout = 5000"); // milliseconds; a tool may block its event loop
  return new SqliteTables(file, db);
}

class SqliteTables implements Tables {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #writer: TableWriter;

  constructor(file: string, db: DatabaseSync) {
    this.#file = file;
    this.#db = db;
    this.#writer = new SqliteTableWriter(db);
  }

  readonly read = <T>(work: (source: TableReader) => Promise<T>): Promise<T> => this.#transact("BEGIN", work);

  // Every write transaction of SQLite is exclusive.
  readonly write = <T>(work: (target: TableWriter) => Promise<T>): Promise<T> =>
    this.#transact("BEGIN IMMEDIATE", work);

  // Leaving WAL mode needs an exclusive lock, and every open connection holds a shared lock on the file.
  readonly isOnlyConnection = async (): Promise<boolean> => {
    try {
      this.#db.exec("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL");
      return true;
    } catch {
      return false;
    }
  };

  readonly close = async (): Promise<void> => this.#db.close();

  async #transact<T>(begin: string, work: (target: TableWriter) => Promise<T>): Promise<T> {
    try {
      this.#db.exec(begin);
      const result = await work(this.#writer);
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      // SQLite does not report which of several files is locked, damaged, or on a full disk.
      const { errcode, message } = error as { errcode?: number; message: string };
      throw errcode === undefined ? error : new Error(`${this.#file}: ${message}`, { cause: error });
    }
  }
}

class SqliteTableWriter implements TableWriter {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async identities(): Promise<readonly Uint8Array[]> {
    const rows = this.#db.prepare(statements.identity).all();
    return rows.map(({ value }) => value as Uint8Array);
  }

  async count(table: Table): Promise<number> {
    return Number(this.#db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  }

  rows(table: Table): AsyncIterable<readonly Values[]> {
    return this.#select(table);
  }

  petsWith(status: string): AsyncIterable<readonly Values[]> {
    return this.#select("pets", status);
  }

  async *#select(table: Table, status?: string): AsyncIterable<readonly Values[]> {
    const [where, ...values] = status === undefined ? [""] : ["WHERE status = ?", status];
    const select = this.#db.prepare(`SELECT ${columnsOf(table)} FROM ${table} ${where} ORDER BY ${sortKeys[table]}`);
    select.setReturnArrays(true);
    const requireUtf8 = this.#createUtf8Check(table);
    let batch: Values[] = [];
    for (const row of select.iterate(...values) as unknown as Iterable<Values>) {
      requireUtf8(row);
      batch.push(row);
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async lastId(table: IdTable): Promise<bigint> {
    const row = this.#db.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get(table);
    return (row?.seq as bigint | undefined) ?? 0n;
  }

  async *problems(): AsyncIterable<string> {
    yield* findProblems(this.#db);
  }

  // The driver replaces each invalid byte by U+FFFD. A row with such a text is not found by its values.
  #createUtf8Check(table: Table): (row: Values) => void {
    const condition = columnsOf(table).map((column) => `${column} IS ?`);
    const find = this.#db.prepare(`SELECT 1 FROM ${table} WHERE ${condition.join(" AND ")}`);
    return (row) => {
      const isSuspicious = row.some((value) => typeof value === "string" && value.includes("\ufffd"));
      if (isSuspicious && find.get(...row) === undefined)
        throw new Error(`${table} ${row[0]} has a text that is not valid UTF-8.`);
    };
  }

  async add(table: Table, rows: readonly Values[]): Promise<void> {
    const columns = columnsOf(table);
    const insert = this.#db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`);
    for (const row of rows) insert.run(...row);
  }

  async remove(table: Table, first?: Values[0]): Promise<void> {
    const [where, ...values] = first === undefined ? [""] : [`WHERE ${columnsOf(table)[0]} = ?`, first];
    this.#db.prepare(`DELETE FROM ${table} ${where}`).run(...values);
  }

  async setLastId(table: IdTable, id: bigint): Promise<void> {
    this.#db.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(table);
    this.#db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(table, id);
  }
}

function columnsOf(table: Table): string[] {
  return Object.keys(tables[table]);
}
