// Bulk access to the tables of the SQLite store.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  batchSize,
  collectionsIn,
  findTable,
  type Table,
  type Tables,
  type TableWriter,
  tablesOf,
  type Values,
} from "../bulk.ts";
import type { OpenMode } from "../port.ts";
import { type Collection, type Filter, quoteName } from "../records.ts";
import { findProblems } from "./integrity.ts";
import { openDatabase } from "./sqlite-connection.ts";
import { violationOf } from "./sqlite-constraints.ts";
import { findExisting, findOtherCollections, listUnneeded } from "./sqlite-migrations.ts";
import { prepareDisclaim, statements, toCondition, toValue } from "./sqlite-statements.ts";

const uniqueViolations: unknown[] = [2067, 1555]; // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY

/** Opens the tables of the store in `file`. Throws like `openDatabase`. */
export function openSqliteTables(file: string, mode: OpenMode, collections: readonly Collection[]): Tables {
  const db = openDatabase(file, mode, collections);
  db.exec("PRAGMA busy_timeout = 5000"); // milliseconds; a tool may block its event loop
  const writer = new SqliteTableWriter(db, collections);
  const transact = async <T>(begin: string, work: (target: TableWriter) => Promise<T>): Promise<T> => {
    try {
      db.exec(begin);
      const result = await work(writer);
      db.exec("COMMIT");
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      // SQLite does not report which of several files is locked, damaged, or on a full disk.
      const { errcode, message } = error as { errcode?: number; message: string };
      throw errcode === undefined ? error : new Error(`${file}: ${message}`, { cause: error });
    }
  };
  return {
    tables: writer.tables,
    read: (work) => transact("BEGIN", work),
    write: (work) => transact("BEGIN IMMEDIATE", work), // every write transaction of SQLite is exclusive
    // Leaving WAL mode needs an exclusive lock, and every open connection holds a shared lock on the file.
    isOnlyConnection: async () => {
      try {
        db.exec("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL");
        return true;
      } catch {
        return false;
      }
    },
    close: async () => db.close(),
  };
}

class SqliteTableWriter implements TableWriter {
  readonly tables: readonly Table[];
  readonly #db: DatabaseSync;
  readonly #collections: readonly Collection[];
  readonly #missing: readonly string[]; // optional tables, which have no rows

  constructor(db: DatabaseSync, collections: readonly Collection[]) {
    this.#db = db;
    this.#collections = findExisting(db, collections);
    this.#missing = collections.filter((one) => !this.#collections.includes(one)).map(({ name }) => name);
    this.tables = tablesOf([...this.#collections, ...findOtherCollections(db, collections)]);
  }

  async identities(): Promise<readonly Uint8Array[]> {
    const rows = this.#db.prepare(statements.identity).all();
    return rows.map(({ value }) => value as Uint8Array);
  }

  async unneeded(): Promise<readonly string[]> {
    return listUnneeded(this.#db, this.#collections);
  }

  async count(table: string): Promise<number> {
    if (this.#missing.includes(table)) return 0;
    return Number(this.#db.prepare(`SELECT count(*) AS n FROM ${this.#find(table).name}`).get()?.n);
  }

  rows(table: string, after?: bigint): AsyncIterable<readonly Values[]> {
    return after === undefined ? this.#select(table, "") : this.#select(table, "WHERE id > ?", after);
  }

  matching({ name }: Collection, filter: Filter, value: unknown): AsyncIterable<readonly Values[]> {
    return this.#select(name, `WHERE ${toCondition(filter)}`, toValue(value));
  }

  async *#select(name: string, where: string, ...values: SQLInputValue[]): AsyncIterable<readonly Values[]> {
    if (this.#missing.includes(name)) return;
    const table = this.#find(name);
    const select = this.#db.prepare(`SELECT ${table.columns} FROM ${table.name} ${where} ORDER BY ${table.sortKey}`);
    select.setReturnArrays(true);
    const requireUtf8 = this.#createUtf8Check(name);
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

  async lastId(table: string): Promise<bigint> {
    const row = this.#db.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get(table);
    return (row?.seq as bigint | undefined) ?? 0n;
  }

  async *problems(): AsyncIterable<string> {
    yield* findProblems(this.#db, collectionsIn(this.tables));
  }

  // The driver replaces each invalid byte by U+FFFD. A row with such a text is not found by its values.
  #createUtf8Check(table: string): (row: Values) => void {
    const { name, columns } = this.#find(table);
    const condition = columns.map((column) => `${column} IS ?`);
    const find = this.#db.prepare(`SELECT 1 FROM ${name} WHERE ${condition.join(" AND ")}`);
    return (row) => {
      const isSuspicious = row.some((value) => typeof value === "string" && value.includes("\ufffd"));
      if (isSuspicious && find.get(...row) === undefined)
        throw new Error(`${table} ${row[0]} has a text that is not valid UTF-8.`);
    };
  }

  async add(table: string, rows: readonly Values[]): Promise<void> {
    const { name, columns } = this.#find(table);
    const collection = this.#collections.find((one) => one.name === table);
    if (collection) prepareDisclaim(this.#db, collection)();
    const insert = this.#db.prepare(`INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => "?")})`);
    for (const row of rows)
      try {
        insert.run(...row);
      } catch (error) {
        const violation = violationOf(this.#collections, error);
        if (violation) throw violation;
        if (!uniqueViolations.includes((error as { errcode?: number }).errcode)) throw error;
        const id = columns.includes("key") ? row.at(-1) : row[0];
        throw new Error(`Another record of ${table} has the id ${id}.`, { cause: error });
      }
  }

  async change(table: string, rows: readonly Values[]): Promise<void> {
    const update = this.#db.prepare(`UPDATE ${this.#find(table).name} SET record = ? WHERE id = ?`);
    for (const [id, record] of rows) update.run(record as string, id as bigint);
  }

  async remove(table: string, first?: Values[0]): Promise<void> {
    const { name, columns } = this.#find(table);
    const [where, ...values] = first === undefined ? [""] : [`WHERE ${columns[0]} = ?`, first];
    this.#db.prepare(`DELETE FROM ${name} ${where}`).run(...values);
  }

  async setLastId(table: string, id: bigint): Promise<void> {
    this.#db.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(table);
    this.#db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(table, id);
  }

  // The name in quotes, and the names of the columns. One that an earlier version does not have is NULL.
  #find(table: string): { name: string; columns: readonly string[]; sortKey: string } {
    const { name, columns, sortKey } = findTable(this.tables, table);
    const found = this.#db.prepare("SELECT name FROM pragma_table_info(?)").all(name);
    const toExpression = (column: string) => (found.some((one) => one.name === column) ? column : "NULL");
    return { name: quoteName(name), columns: Object.keys(columns).map(toExpression), sortKey };
  }
}
