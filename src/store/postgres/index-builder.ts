// Creates indexes while services use their tables.
import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import { socketOf } from "../../patches/pg-socket.ts";
import type { Collection } from "../records.ts";
import { connect, type Database } from "./postgres-connection.ts";
import { relationsOf } from "./postgres-migrations.ts";
import { listIndexes, lockOf, tableOf } from "./postgres-statements.ts";

const lockKind = 0x70657474; // the next one after that of migrations
const lockInterval = 1_000; // milliseconds between two attempts to get it

/**
 * Creates the indexes that collections lack, without locking their tables, and creates those again whose creation has failed. One
 * process does it at a time, and the others wait for it. For millions of records, it takes minutes. Does not keep the process running if
 * it is in the background.
 */
export async function buildIndexes(
  database: Database,
  collections: readonly Collection[],
  { inBackground }: { readonly inBackground: boolean },
): Promise<void> {
  const clients: Client[] = [];
  const open = async () => {
    const client = await connect(database);
    if (inBackground) socketOf(client).unref();
    clients.push(client);
    await client.query("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"); // those of the role may be short
    return client;
  };
  await build(open, database.schema, collections).finally(() => Promise.all(clients.map((client) => client.end())));
}

// CREATE INDEX CONCURRENTLY waits for all older snapshots, and each statement has a snapshot, also while it waits for a lock. So no
// statement may wait for the process that creates indexes: the lock is polled. A transaction holds it, since a pooler could give another
// session to the next statement, on a connection of its own, because an index can't be created in a transaction.
async function build(open: () => Promise<Client>, schema: string, collections: readonly Collection[]): Promise<void> {
  const indexes = collections.flatMap((one) => relationsOf(schema, one)).filter(({ isIndex }) => isIndex);
  if (indexes.length === 0) return;
  const db = await open();
  const listNeeded = async () => {
    const valid = new Set((await db.query<{ name: string }>(listIndexes(schema, true))).rows.map(({ name }) => name));
    return indexes.filter(({ name }) => !valid.has(name));
  };
  let lock: Client | undefined;
  while ((await listNeeded()).length > 0) {
    lock ??= await open();
    await lock.query("BEGIN ISOLATION LEVEL READ COMMITTED"); // has a snapshot only during a statement
    // With a parameter, the statement would keep its snapshot.
    const { rows } = await lock.query(`SELECT pg_try_advisory_xact_lock(${lockOf(schema, lockKind)}) AS "isHeld"`);
    const isComplete = rows[0].isHeld && (await create(db, schema, await listNeeded()));
    await lock.query("ROLLBACK");
    const [left] = isComplete ? await listNeeded() : [];
    if (left) throw new Error(`The index ${left.name} was created, but is not valid.`);
    if (!isComplete) await setTimeout(lockInterval, undefined, { ref: false }); // its connections keep a process running
  }
}

// Returns whether all are created: not after a deadlock with another program, such as an import that locks the tables.
async function create(
  db: Client,
  schema: string,
  indexes: readonly { readonly name: string; readonly statement: string }[],
): Promise<boolean> {
  try {
    for (const index of indexes) {
      await db.query(`DROP INDEX CONCURRENTLY IF EXISTS ${tableOf(schema, index.name)}`); // one whose creation has failed
      await db.query(`CREATE INDEX CONCURRENTLY ${index.statement}`);
    }
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "40P01") throw error; // deadlock_detected
    return false;
  }
}
