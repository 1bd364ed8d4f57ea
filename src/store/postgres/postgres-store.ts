// The store for several machines: a PostgreSQL database, which any number of processes may share.
import { getOrAdd } from "../../lib/index.ts";
import type { RecordStore, Records, Store, TransactionOptions } from "../port.ts";
import { Indexer } from "../query/indexer.ts";
import { RecordLimit } from "../record-limit.ts";
import type { Collection } from "../records.ts";
import { findCollection, type StoreOptions } from "../store-options.ts";
import { ConnectionPool, type PoolOptions, type Queries } from "./connection-pool.ts";
import { createIdempotencyRetention } from "./idempotency-retention.ts";
import { buildIndexes } from "./index-builder.ts";
import { prepareDatabase } from "./postgres-connection.ts";
import { violationOf } from "./postgres-constraints.ts";
import { createIndexDatabase } from "./postgres-indexes.ts";
import { createPostgresKeys } from "./postgres-keys.ts";
import { createPostgresRecords, type RecordParts } from "./postgres-records.ts";
import { lockCreates, lockTransactions, recordStatements, tableOf, toStatement } from "./postgres-statements.ts";
import { createRecordCount } from "./record-count.ts";

const check = toStatement("check", "SELECT 1");

// It locks the table that all transactions lock first, so that it can't deadlock with an import or a copy, which locks all tables.
// READ COMMITTED: each statement sees what others have committed while it waited for their locks.
// Transactions that wait for each other run again, each of them alone.
const beginTransaction = (schema: string, isAlone: boolean) =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; ${lockTransactions(schema, isAlone)}; LOCK TABLE ${tableOf(schema, "idempotency")} IN ROW EXCLUSIVE MODE; SET LOCAL lock_timeout = ${lockTimeout}`;

const lockTimeout = 250; // milliseconds

/** Opens the store in the database of `url`. Rejects like `prepareDatabase`. */
export async function openPostgresStore(url: string, options: StoreOptions, poolOptions: PoolOptions): Promise<Store> {
  const start = performance.now();
  const { mode, collections, maxRecords, inBackground } = options;
  const { counts, ...database } = await prepareDatabase(url, options);
  const { schema } = database;
  if (mode !== "readonly") {
    const building = buildIndexes(database, collections, { inBackground: inBackground !== undefined });
    if (inBackground) inBackground(building);
    else await building;
  }
  const convert = (error: unknown) => violationOf(collections, error);
  const pool = new ConnectionPool(database, { ...poolOptions, convert });
  const deleteExpired = createIdempotencyRetention(pool, schema);
  const toParts = (collection: Collection): RecordParts => {
    const limit = new RecordLimit(maxRecords);
    const first = counts.get(collection);
    if (first) limit.update(first, start);
    const count = createRecordCount(database, collection, (result, began) => limit.update(result, began));
    return { schema, collection, statements: recordStatements(schema, collection), pool, deleteExpired, limit, count };
  };
  const parts = new Map(collections.map((collection) => [collection.name, toParts(collection)]));
  const indexer = new Indexer(mode === "readonly" ? [] : collections, createIndexDatabase(pool, schema), inBackground);
  // The role of `migrate` can create triggers, and that of the service need not.
  if (inBackground === undefined) await indexer.wait().catch((error) => pool.close().then(() => Promise.reject(error)));
  const records = new Map<string, RecordStore>(
    [...parts].map(([name, one]) => [name, indexer.watch(createPostgresRecords(one))]),
  );
  return {
    kind: "postgresql",
    keys: createPostgresKeys(pool, schema),
    metrics: pool.metrics,
    records: <R, N extends object>(name: string) => findCollection(records, name) as RecordStore<R, N>,
    transaction: (work, options) => transact(pool, schema, parts, work, options).finally(indexer.wake),
    check: async () => void (await pool.query(check)),
    close: async () => {
      await indexer.close();
      await pool.close();
    },
  };
}

async function transact<T>(
  pool: ConnectionPool,
  schema: string,
  partsByName: ReadonlyMap<string, RecordParts>,
  work: (records: Records) => Promise<T>,
  { blocksCreates = false }: TransactionOptions = {},
): Promise<T> {
  // A count waits for all creates, and so also for this transaction: it takes place outside of it.
  const counted = new Set<RecordParts>();
  const locks = blocksCreates ? `; ${lockCreates(schema)}` : "";
  const [begin, again] = [false, true].map((isAlone) => beginTransaction(schema, isAlone) + locks) as [string, string];
  for (;;) {
    let uncounted: RecordParts | undefined;
    const countOutside = async (parts: RecordParts) => {
      if (counted.has(parts)) return parts.limit.close();
      uncounted = parts;
      throw new Error("The records must be counted.");
    };
    const run = (pool: Queries) => {
      const opened = new Map<string, RecordStore<never, never>>();
      const records = (name: string) => {
        const parts = findCollection(partsByName, name);
        return createPostgresRecords<never, never>({
          ...parts,
          pool,
          isTransaction: true,
          count: () => countOutside(parts),
        });
      };
      return work((name) => getOrAdd(opened, name, () => records(name)));
    };
    try {
      return await pool.transaction(begin, run, again);
    } catch (error) {
      if (uncounted === undefined) throw error;
      await uncounted.count();
      counted.add(uncounted);
    }
  }
}
