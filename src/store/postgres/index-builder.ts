// Creates indexes while services use their tables.
import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import { socketOf } from "../../patches/pg-socket.ts";
import type { Collection } from "../records.ts";
import type { Hosts } from "./hosts.ts";
import { connect } from "./postgres-connection.ts";
import { schemaOf } from "./postgres-migrations.ts";
import { quoteName } from "./postgres-statements.ts";

// The key is the next one after that of migrations. With a parameter, the statement would keep its snapshot.
const lockKey = 0x70657474;
const tryLock = `SELECT pg_try_advisory_xact_lock(${lockKey}) AS "isHeld"`;
const lockInterval = 1_000; // milliseconds between two attempts to get it

const listValid = `
  SELECT index.relname AS name FROM pg_catalog.pg_index JOIN pg_catalog.pg_class AS index ON index.oid = indexrelid
  WHERE index.relnamespace = 'petstore'::regnamespace AND indisvalid`;

/**
 * Creates the indexes that collections lack, without locking their tables, and creates those again whose creation has failed. One
 * process does it at a time, and the others wait for it. For millions of records, it takes minutes. Does not keep the process running if
 * it is in the background.
 */
export async function buildIndexes(
  hosts: Hosts,
  collections: readonly Collection[],
  { inBackground }: { readonly inBackground: boolean },
): Promise<void> {
  const clients: Client[] = [];
  const open = async () => {
    const client = await connect(hosts);
    if (inBackground) socketOf(client).unref();
    clients.push(client);
    await client.query("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"); // those of the role may be short
    return client;
  };
  await build(open, collections).finally(() => Promise.all(clients.map((client) => client.end())));
}

// CREATE INDEX CONCURRENTLY waits for all older snapshots, and each statement has a snapshot, also while it waits for a lock. So no
// statement may wait for the process that creates indexes: the lock is polled. A transaction holds it, since a pooler could give another
// session to the next statement, on a connection of its own, because an index can't be created in a transaction.
async function build(open: () => Promise<Client>, collections: readonly Collection[]): Promise<void> {
  const indexes = collections.flatMap(schemaOf).filter(({ isIndex }) => isIndex);
  if (indexes.length === 0) return;
  const db = await open();
  const listNeeded = async () => {
    const valid = new Set((await db.query<{ name: string }>(listValid)).rows.map(({ name }) => name));
    return indexes.filter(({ name }) => !valid.has(name));
  };
  let lock: Client | undefined;
  while ((await listNeeded()).length > 0) {
    lock ??= await open();
    await lock.query("BEGIN ISOLATION LEVEL READ COMMITTED"); // has a snapshot only during a statement
    const { rows } = await lock.query(tryLock);
    const isComplete = rows[0].isHeld && (await create(db, await listNeeded()));
    await lock.query("ROLLBACK");
    const [left] = isComplete ? await listNeeded() : [];
    if (left) throw new Error(`The index ${left.name} was created, but is not valid.`);
    if (!isComplete) await setTimeout(lockInterval, undefined, { ref: false }); // its connections keep a process running
  }
}

// Returns whether all are created: not after a deadlock with another program, such as an import that locks the tables.
async function create(
  db: Client,
  indexes: readonly { readonly name: string; readonly statement: string }[],
): Promise<boolean> {
  try {
    for (const { name, statement } of indexes) {
      await db.query(`DROP INDEX CONCURRENTLY IF EXISTS petstore.${quoteName(name)}`); // one whose creation has failed
      await db.query(`CREATE INDEX CONCURRENTLY ${statement}`);
    }
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "40P01") throw error; // deadlock_detected
    return false;
  }
}
