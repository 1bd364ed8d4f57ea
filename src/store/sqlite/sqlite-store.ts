// The embedded store: one SQLite file, which several processes of one machine may share.
//
// It uses WAL with synchronous=FULL: a commit returns when it is on the disk, so that an acknowledged create survives
// kill -9 and power failures. node:sqlite is synchronous, and a lookup by key takes a few microseconds.
import type { DatabaseSync } from "node:sqlite";
import { ConstraintViolation } from "../../lib/index.ts";
import { limitPauses } from "../pause-limit.ts";
import type { RecordStore, Records, Store, TransactionOptions } from "../port.ts";
import { Indexer } from "../query/indexer.ts";
import { QueryMetrics } from "../query/query-metrics.ts";
import { RecordLimit } from "../record-limit.ts";
import { findCollection, type StoreOptions } from "../store-options.ts";
import { isSqliteError } from "./busy.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { createFileCheck } from "./file-check.ts";
import { openDatabase } from "./sqlite-connection.ts";
import { createIndexDatabase } from "./sqlite-indexes.ts";
import { createSqliteKeys } from "./sqlite-keys.ts";
import { createSqliteRecords, type RecordParts, updateLimit } from "./sqlite-records.ts";
import { prepareDisclaim, prepareRecordStatements, prepareSelections, prepareStatements } from "./sqlite-statements.ts";
import { TransactionScheduler } from "./transactions.ts";

/** The timeouts of the SQLite store, in milliseconds. */
export interface SqliteTimeouts {
  /** For a lock of another process on the file. A call that exceeds it fails with `UnavailableError`. */
  readonly busy: number;
}

const defaultTimeouts: SqliteTimeouts = { busy: 5_000 };

/** Opens the store in `file`, an absolute path, or `:memory:`. Throws like `openDatabase`. */
export function openSqliteStore(
  file: string,
  { mode, collections, maxRecords, inBackground }: StoreOptions,
  timeouts: Partial<SqliteTimeouts> = {},
): Store {
  const db = openOnFullDisk(file, () => openDatabase(file, mode, collections));
  const shared = prepareStatements(db);
  const metrics = new QueryMetrics();
  const checkFiles = createFileCheck(db, file);
  const transactions = new TransactionScheduler(db, {
    metrics,
    busyTimeout: { ...defaultTimeouts, ...timeouts }.busy,
    checkFiles,
    reserve: new DiskReserve(file), // the path can be resolved, because the file exists now
  });
  const indexed = mode === "readonly" ? [] : collections; // a file of an earlier release has no indexes
  const indexer = new Indexer(indexed, createIndexDatabase(transactions, prepareSelections(db)), inBackground);
  const partsByName = new Map<string, RecordParts>();
  const recordsByName = new Map<string, RecordStore>();
  for (const collection of collections) {
    const statements = prepareRecordStatements(db, collection);
    const limit = new RecordLimit(maxRecords);
    const parts = { collection, collections, statements, shared, limit, disclaim: prepareDisclaim(db, collection) };
    partsByName.set(collection.name, parts);
    recordsByName.set(collection.name, indexer.watch(createSqliteRecords(transactions, parts)));
    if (maxRecords !== null) updateLimit(parts);
  }
  return {
    kind: "sqlite",
    keys: createSqliteKeys(transactions, shared),
    metrics,
    records: <R, N extends object>(name: string) => findCollection(recordsByName, name) as RecordStore<R, N>,
    transaction: <T>(work: (records: Records) => Promise<T>, { isDeletion = false }: TransactionOptions = {}) => {
      const transact = () => {
        let failure: unknown; // of the first call that has failed, as in PostgreSQL
        return limitPauses(async (call) => {
          const run = <R>(_: unknown, statements: () => R | Promise<R>) =>
            call(async () => {
              if (failure !== undefined) throw failure;
              try {
                return await statements();
              } catch (error) {
                if (isSqliteError(error) || error instanceof ConstraintViolation) failure ??= error;
                throw error;
              }
            });
          const result = await work((name) =>
            createSqliteRecords({ read: run, write: run }, findCollection(partsByName, name)),
          );
          if (failure !== undefined) throw failure;
          return result;
        }).finally(() => {
          failure ??= new Error("The transaction has ended.");
        });
      };
      return transactions.write("transaction", transact, { isReserved: isDeletion }).finally(indexer.wake);
    },
    check: () =>
      transactions.read("check", () => {
        shared.identity.get();
        checkFiles();
      }),
    close: async () => {
      const indexing = indexer.close();
      if (indexing) await indexing; // without it, calls that wait fail at once
      db.close();
    },
  };
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
