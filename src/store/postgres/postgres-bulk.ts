// Bulk access to the tables of the PostgreSQL store.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { Table, Tables, TableWriter } from "../bulk.ts";
import type { StoreOptions } from "../store-options.ts";
import { connect, prepareDatabase } from "./postgres-connection.ts";
import { isConflict, isLockTimeout } from "./postgres-errors.ts";
import { findOtherCollections } from "./postgres-migrations.ts";
import { lockCreates, tableOf } from "./postgres-statements.ts";
import { PostgresTableWriter } from "./table-writer.ts";

const lockRetryInterval = 200; // milliseconds, in which waiting creates proceed
const maxConnectionChecks = 20;
const connectionCheckInterval = 50; // milliseconds
const heldMessage =
  "A backup, export, check or copy is reading the database. Nothing was changed. Try again when it has finished.";

// Counts the other connections of this program to the database. A running service has at least one.
const countOtherConnections = `
  SELECT count(*) AS n FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`;

// The locks of reads and writes. All transactions lock in the same order, so that they can't deadlock: first the table
// that a create locks first, then the other tables, and last the row of the table secret, which serializes creates.
function createLocks(schema: string, tables: readonly Table[]) {
  const names = tables.map(({ name }) => tableOf(schema, name));
  const firstTable = tableOf(schema, "idempotency");
  const otherTables = names.filter((name) => name !== firstTable);
  const lockTables = (mode: string, names: readonly string[]) => `LOCK TABLE ${names} IN ${mode} MODE`;
  const lockAllTables = (mode: string) => lockTables(mode, [firstTable, ...otherTables]);
  return {
    // Waits for an exclusive write.
    forReads: lockAllTables("ACCESS SHARE"),
    // Waits for an exclusive write, and blocks creates.
    forWrites: `${lockAllTables("ROW EXCLUSIVE")}; ${lockCreates(schema)}`,
    // Waits for all writes, and with "all" for bulk reads, and blocks all writes. The first timeout is short, because creates queue behind
    // a waiting lock and fail after 900 ms. During the second one, PostgreSQL cancels an autovacuum that holds a table,
    // which takes one second. The second lock does not conflict with reads.
    blocking: (what: "writes" | "all") => `
      SET LOCAL lock_timeout = 500; ${lockTables(what === "all" ? "ACCESS EXCLUSIVE" : "SHARE ROW EXCLUSIVE", [firstTable])};
      SET LOCAL lock_timeout = 3000; ${lockTables("SHARE ROW EXCLUSIVE", otherTables)}; ${lockCreates(schema)}`,
  };
}

/**
 * Opens the tables of the store in the database of `url`. An exclusive write retries for `lockTimeout` milliseconds
 * while other connections hold the tables. Rejects like `prepareDatabase`.
 */
export async function openPostgresTables(
  url: string,
  options: Omit<StoreOptions, "maxRecords">,
  lockTimeout: number,
): Promise<Tables> {
  const database = await prepareDatabase(url, { ...options, maxRecords: null });
  const { schema } = database;
  const db = await connect(database);
  const others = await findOtherCollections(db, schema, options.collections);
  const writer = new PostgresTableWriter(db, schema, options.collections, others);
  const locks = createLocks(schema, writer.tables);
  const transact = async <T>(begin: string, work: (target: TableWriter) => Promise<T>): Promise<T> => {
    try {
      await beginOrRetry(db, begin, performance.now() + lockTimeout);
      const result = await work(writer);
      await db.query("COMMIT");
      return result;
    } catch (error) {
      await db.query("ROLLBACK").catch(() => {}); // a broken connection has rolled back already
      throw error;
    }
  };
  return {
    tables: writer.tables,
    // Locks before the snapshot: a table that is truncated after the snapshot would be empty in it.
    read: (work) => transact(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${locks.forReads}`, work),
    write: (work, { blocks } = {}) => transact(`BEGIN; ${blocks ? locks.blocking(blocks) : locks.forWrites}`, work),
    isOnlyConnection: async () => {
      // PostgreSQL may still list connections that were just closed, such as that of `prepareDatabase`.
      for (let check = 0; check < maxConnectionChecks; check++) {
        const [{ n }] = (await db.query(countOtherConnections, [schema])).rows;
        if (n === 0n) return true;
        await sleep(connectionCheckInterval);
      }
      return false;
    },
    close: () => db.end(),
  };
}

async function beginOrRetry(db: Client, begin: string, deadline: number): Promise<void> {
  try {
    await db.query(begin);
  } catch (error) {
    // A deadlock is one with another program, or with an index that is being created.
    if (!isConflict(error) && !isLockTimeout(error)) throw error;
    if (performance.now() > deadline) throw new Error(heldMessage, { cause: error });
    await db.query("ROLLBACK");
    await sleep(lockRetryInterval);
    await beginOrRetry(db, begin, deadline);
  }
}
