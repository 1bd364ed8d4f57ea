import type { DatabaseSync } from "node:sqlite";
import {
  batchSize,
  countOrphans,
  primaryKeys,
  type Table,
  type Tables,
  type TableWriter,
  tables,
  type Values,
} from "../bulk.ts";
import type { OpenMode } from "../port.ts";
import { openFile } from "./connection.ts";
import { statements } from "./store.ts";

/** Opens the tables of the embedded store in `file`. Throws as `openSqlite` does. */
export function openSqliteTables(file: string, access: OpenMode): Tables {
  const db = openFile(file, access);
  db.exec("PRAGMA busy_timeout = 5000"); // milliseconds; here nobody else is held up by waiting
  const within = async <T>(begin: string, work: (target: TableWriter) => Promise<T>): Promise<T> => {
    try {
      db.exec(begin);
      const result = await work(over(db));
      db.exec("COMMIT");
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      // SQLite does not say which of several files is locked, damaged, or on a full disk.
      const { errcode, message } = error as { errcode?: number; message: string };
      throw errcode === undefined ? error : new Error(`${file}: ${message}`, { cause: error });
    }
  };
  return {
    read: (work) => within("BEGIN", work),
    write: (work) => within("BEGIN IMMEDIATE", work),
    // To leave WAL takes the file for oneself: every other connection holds a lock for as long as it is open.
    async isAlone() {
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

function over(db: DatabaseSync): TableWriter {
  const columns = (table: Table) => Object.keys(tables[table]);
  return {
    count: async (table) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n),
    async *rows(table, status) {
      const [where, ...values] = status === undefined ? [""] : ["WHERE status = ?", status];
      const select = db.prepare(`SELECT ${columns(table)} FROM ${table} ${where} ORDER BY ${primaryKeys[table]}`);
      select.setReturnArrays(true);
      let some: Values[] = [];
      for (const row of select.iterate(...values)) {
        some.push(row as unknown as Values);
        if (some.length < batchSize) continue;
        yield some;
        some = [];
      }
      if (some.length > 0) yield some;
    },
    lastId: async (table) =>
      (db.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get(table)?.seq as bigint | undefined) ?? 0n,
    secrets: async () =>
      db
        .prepare(statements.secret)
        .all()
        .map(({ value }) => value as Uint8Array),
    async *problems() {
      for (const { integrity_check: said } of db.prepare("PRAGMA integrity_check").iterate())
        for (const line of String(said).split("\n")) if (!/^(ok$|\*\*\*)/.test(line)) yield `SQLite: ${line}.`;
      const lost = db.prepare(countOrphans()).get()?.n;
      if (lost) yield `${lost} records of Idempotency-Keys name a pet that is not there.`;
    },
    setSecret: async (secret) => void db.prepare("UPDATE secret SET value = ?").run(secret),
    async add(table, rows) {
      const values = columns(table).map(() => "?");
      const insert = db.prepare(`INSERT INTO ${table} (${columns(table)}) VALUES (${values})`);
      for (const row of rows) insert.run(...row);
    },
    async remove(table, first) {
      const [where, ...values] = first === undefined ? [""] : [`WHERE ${columns(table)[0]} = ?`, first];
      db.prepare(`DELETE FROM ${table} ${where}`).run(...values);
    },
    async setLastId(table, id) {
      db.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(table);
      db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(table, id);
    },
  };
}
