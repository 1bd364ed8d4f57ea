// The embedded store: one SQLite file, which several processes of one machine may share.
//
// It uses WAL with synchronous=FULL: a commit returns when it is on the disk, so that an acknowledged create survives
// kill -9 and power failures. node:sqlite is synchronous, and a lookup by key takes a few microseconds.
import type { DatabaseSync } from "node:sqlite";
import type { KeyStore, RecordStore, Records, Store } from "../port.ts";
import { QueryMetrics } from "../query-metrics.ts";
import { RecordLimit } from "../record-limit.ts";
import { findCollection, type StoreOptions } from "../store-options.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { createFileCheck } from "./file-check.ts";
import { openDatabase } from "./sqlite-connection.ts";
import { createSqliteKeys } from "./sqlite-keys.ts";
import { type RecordParts, SqliteRecords, updateLimit } from "./sqlite-records.ts";
import { prepareDisclaim, prepareRecordStatements, prepareStatements, type Statements } from "./sqlite-statements.ts";
import { TransactionScheduler } from "./transactions.ts";

/** The timeouts of the SQLite store, in milliseconds. */
export interface SqliteTimeouts {
  /** For a lock of another process on the file. A call that exceeds it fails with `UnavailableError`. */
  readonly busy: number;
}

const defaultTimeouts: SqliteTimeouts = { busy: 5_000 };

/** The store in a SQLite file. */
export class SqliteStore implements Store {
  readonly kind = "sqlite";
  readonly keys: KeyStore;
  readonly metrics = new QueryMetrics();
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #transactions: TransactionScheduler;
  readonly #parts = new Map<string, RecordParts>();
  readonly #records = new Map<string, RecordStore>();
  readonly #checkFiles: () => void;

  /** Opens the store in `file`, an absolute path, or `:memory:`. Throws like `openDatabase`. */
  constructor(file: string, { mode, collections, maxRecords }: StoreOptions, timeouts: Partial<SqliteTimeouts> = {}) {
    this.#db = openOnFullDisk(file, () => openDatabase(file, mode, collections));
    this.#statements = prepareStatements(this.#db);
    this.#checkFiles = createFileCheck(this.#db, file);
    this.#transactions = new TransactionScheduler(this.#db, {
      metrics: this.metrics,
      busyTimeout: { ...defaultTimeouts, ...timeouts }.busy,
      checkFiles: this.#checkFiles,
      reserve: new DiskReserve(file), // the path can be resolved, because the file exists now
    });
    for (const collection of collections) {
      const statements = prepareRecordStatements(this.#db, collection);
      const limit = new RecordLimit(maxRecords);
      const disclaim = prepareDisclaim(this.#db, collection);
      const parts = { collection, statements, shared: this.#statements, limit, disclaim };
      this.#parts.set(collection.name, parts);
      this.#records.set(collection.name, new SqliteRecords(this.#transactions, parts));
      if (maxRecords !== null) updateLimit(parts);
    }
    this.keys = createSqliteKeys(this.#transactions, this.#statements);
  }

  readonly records = <R, N extends object>(name: string) => findCollection(this.#records, name) as RecordStore<R, N>;

  readonly transaction: Store["transaction"] = (work, { isDeletion = false } = {}) => {
    const transact = () => {
      let isOpen = true;
      const run = async <T>(_: unknown, statements: () => T | Promise<T>) => {
        if (!isOpen) throw new Error("The transaction has ended.");
        return statements();
      };
      const records: Records = (name) =>
        new SqliteRecords({ read: run, write: run }, findCollection(this.#parts, name));
      return work(records).finally(() => {
        isOpen = false;
      });
    };
    return this.#transactions.write("transaction", transact, { isReserved: isDeletion });
  };

  readonly check = (): Promise<void> =>
    this.#transactions.read("check", () => {
      this.#statements.identity.get();
      this.#checkFiles();
    });

  readonly close = async (): Promise<void> => this.#db.close();
}

// SQLite then has no space for the -shm file.
function openOnFullDisk(file: string, open: () => DatabaseSync): DatabaseSync {
  try {
    return open();
  } catch (error) {
    new DiskReserve(file).release(error);
    return open();
  }
}
