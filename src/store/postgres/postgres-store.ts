// The store for several machines: a PostgreSQL database, which any number of processes may share.

import type { DailyCalls, DeprecatedCalls, KeyStore, RecordStore, Store } from "../port.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { RecordLimit } from "../record-limit.ts";
import { findCollection, type StoreOptions } from "../store-options.ts";
import { ConnectionPool, type PoolOptions } from "./connection-pool.ts";
import { IdempotencyRetention } from "./idempotency-retention.ts";
import { buildIndexes } from "./index-builder.ts";
import { prepareDatabase } from "./postgres-connection.ts";
import { PostgresKeys } from "./postgres-keys.ts";
import { PostgresRecords } from "./postgres-records.ts";
import { statements } from "./postgres-statements.ts";
import { createRecordCount } from "./record-count.ts";

/** The store in a PostgreSQL database. */
export class PostgresStore implements Store {
  readonly kind = "postgresql";
  readonly keys: KeyStore;
  readonly deprecated: DeprecatedCalls;
  readonly metrics: QueryMetrics;
  readonly #pool: ConnectionPool;
  readonly #records: ReadonlyMap<string, RecordStore>;

  private constructor(pool: ConnectionPool, records: ReadonlyMap<string, RecordStore>) {
    this.#records = records;
    this.keys = new PostgresKeys(pool);
    this.deprecated = new PostgresDeprecatedCalls(pool);
    this.metrics = pool.metrics;
    this.#pool = pool;
  }

  /** Opens the store in the database of `url`. Rejects like `prepareDatabase`. */
  static async open(url: string, options: StoreOptions, poolOptions: PoolOptions): Promise<PostgresStore> {
    const start = performance.now();
    const { mode, collections, maxRecords, inBackground } = options;
    const { hosts, counts } = await prepareDatabase(url, options);
    if (mode !== "readonly") {
      const building = buildIndexes(hosts, collections, { inBackground: inBackground !== undefined });
      if (inBackground) inBackground(building);
      else await building;
    }
    const pool = new ConnectionPool(hosts, poolOptions);
    const retention = new IdempotencyRetention(pool);
    const records = collections.map((collection) => {
      const limit = new RecordLimit(maxRecords);
      const first = counts.get(collection);
      if (first) limit.update(first, start);
      const count = createRecordCount(hosts, collection, (result, began) => limit.update(result, began));
      return [collection.name, new PostgresRecords(collection, { pool, retention, limit, count })] as const;
    });
    return new PostgresStore(pool, new Map(records));
  }

  readonly records = <R, N extends object>(name: string): RecordStore<R, N> => findCollection(this.#records, name);

  readonly check = async (): Promise<void> => void (await this.#pool.query(statements.check));

  readonly close = (): Promise<void> => this.#pool.close();
}

class PostgresDeprecatedCalls implements DeprecatedCalls {
  readonly #pool: ConnectionPool;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  readonly add = async (calls: readonly DailyCalls[], since: bigint): Promise<void> => {
    const column = (name: keyof DailyCalls) => calls.map((call) => call[name]);
    await this.#pool.query(
      statements.addCalls,
      column("operation"),
      column("key"),
      column("day"),
      column("count"),
      since,
    );
  };

  readonly list = async (since: bigint): Promise<DailyCalls[]> =>
    (await this.#pool.query(statements.listCalls, since)) as unknown as DailyCalls[];
}
