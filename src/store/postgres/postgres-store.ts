// The store for several machines: a PostgreSQL database, which any number of processes may share.

import type { KeyStore, RecordStore, Records, Store, TransactionOptions } from "../port.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { RecordLimit } from "../record-limit.ts";
import { findCollection, type StoreOptions } from "../store-options.ts";
import { ConnectionPool, type PoolOptions, type Queries } from "./connection-pool.ts";
import { IdempotencyRetention } from "./idempotency-retention.ts";
import { buildIndexes } from "./index-builder.ts";
import { prepareDatabase } from "./postgres-connection.ts";
import { createPostgresKeys } from "./postgres-keys.ts";
import { PostgresRecords, type RecordParts } from "./postgres-records.ts";
import { lockCreates, recordStatements, tableOf, toStatement } from "./postgres-statements.ts";
import { createRecordCount } from "./record-count.ts";

const check = toStatement("check", "SELECT 1");

// It locks the table that all transactions lock first, so that it can't deadlock with an import or a copy, which locks all tables.
// READ COMMITTED: each statement sees what others have committed while it waited for their locks.
const beginTransaction = (schema: string) =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; LOCK TABLE ${tableOf(schema, "idempotency")} IN ROW EXCLUSIVE MODE`;

/** The store in a PostgreSQL database. */
export class PostgresStore implements Store {
  readonly kind = "postgresql";
  readonly keys: KeyStore;
  readonly metrics: QueryMetrics;
  readonly #pool: ConnectionPool;
  readonly #schema: string;
  readonly #parts: ReadonlyMap<string, RecordParts>;
  readonly #records: ReadonlyMap<string, RecordStore>;

  private constructor(pool: ConnectionPool, schema: string, parts: readonly RecordParts[]) {
    this.#parts = new Map(parts.map((one) => [one.collection.name, one]));
    this.#records = new Map(parts.map((one) => [one.collection.name, new PostgresRecords(one)]));
    this.keys = createPostgresKeys(pool, schema);
    this.metrics = pool.metrics;
    this.#pool = pool;
    this.#schema = schema;
  }

  /** Opens the store in the database of `url`. Rejects like `prepareDatabase`. */
  static async open(url: string, options: StoreOptions, poolOptions: PoolOptions): Promise<PostgresStore> {
    const start = performance.now();
    const { mode, collections, maxRecords, inBackground } = options;
    const { counts, ...database } = await prepareDatabase(url, options);
    const { schema } = database;
    if (mode !== "readonly") {
      const building = buildIndexes(database, collections, { inBackground: inBackground !== undefined });
      if (inBackground) inBackground(building);
      else await building;
    }
    const pool = new ConnectionPool(database, poolOptions);
    const retention = new IdempotencyRetention(pool, schema);
    const parts = collections.map((collection) => {
      const limit = new RecordLimit(maxRecords);
      const first = counts.get(collection);
      if (first) limit.update(first, start);
      const count = createRecordCount(database, collection, (result, began) => limit.update(result, began));
      return { schema, collection, statements: recordStatements(schema, collection), pool, retention, limit, count };
    });
    return new PostgresStore(pool, schema, parts);
  }

  readonly records = <R, N extends object>(name: string) => findCollection(this.#records, name) as RecordStore<R, N>;

  readonly transaction = async <T>(
    work: (records: Records) => Promise<T>,
    { blocksCreates = false }: TransactionOptions = {},
  ): Promise<T> => {
    // A count waits for all creates, and so also for this transaction: it takes place outside of it.
    const counted = new Set<RecordParts>();
    const begin = `${beginTransaction(this.#schema)}${blocksCreates ? `; ${lockCreates(this.#schema)}` : ""}`;
    for (;;) {
      let uncounted: RecordParts | undefined;
      const countOutside = async (parts: RecordParts) => {
        if (counted.has(parts)) return parts.limit.close();
        uncounted = parts;
        throw new Error("The records must be counted.");
      };
      const transact = (pool: Queries) =>
        work((name) => {
          const parts = findCollection(this.#parts, name);
          return new PostgresRecords({ ...parts, pool, isTransaction: true, count: () => countOutside(parts) });
        });
      try {
        return await this.#pool.transaction(begin, transact);
      } catch (error) {
        if (uncounted === undefined) throw error;
        await uncounted.count();
        counted.add(uncounted);
      }
    }
  };

  readonly check = async (): Promise<void> => void (await this.#pool.query(check));

  readonly close = (): Promise<void> => this.#pool.close();
}
