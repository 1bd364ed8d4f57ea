// The store for several machines: a PostgreSQL database, which any number of processes may share.

import { socketOf } from "../../patches/pg-socket.ts";
import type { DailyCalls, DeprecatedCalls, KeyStore, RecordStore, Store } from "../port.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { RecordLimit } from "../record-limit.ts";
import type { Collection } from "../records.ts";
import { findCollection, type StoreOptions } from "../store-options.ts";
import { ConnectionPool, type PoolOptions } from "./connection-pool.ts";
import type { Hosts } from "./hosts.ts";
import { IdempotencyRetention } from "./idempotency-retention.ts";
import { connect, prepareDatabase } from "./postgres-connection.ts";
import { PostgresKeys } from "./postgres-keys.ts";
import { buildIndexes } from "./postgres-migrations.ts";
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
    const { hosts, counts } = await prepareDatabase(url, options);
    const pool = new ConnectionPool(hosts, poolOptions);
    const retention = new IdempotencyRetention(pool);
    const records = options.collections.map((collection) => {
      const limit = new RecordLimit(options.maxRecords);
      const first = counts.get(collection);
      if (first) limit.update(first, start);
      const count = createRecordCount(hosts, collection, (result, began) => limit.update(result, began));
      return [collection.name, new PostgresRecords(collection, { pool, retention, limit, count })] as const;
    });
    if (options.inBackground && options.mode !== "readonly")
      options.inBackground(buildInBackground(hosts, options.collections));
    return new PostgresStore(pool, new Map(records));
  }

  readonly records = <R, N extends object>(name: string): RecordStore<R, N> => findCollection(this.#records, name);

  readonly check = async (): Promise<void> => void (await this.#pool.query(statements.check));

  readonly close = (): Promise<void> => this.#pool.close();
}

// Over a connection of its own, which does not keep the process running.
async function buildInBackground(hosts: Hosts, collections: readonly Collection[]): Promise<void> {
  const client = await connect(hosts);
  socketOf(client).unref();
  await buildIndexes(client, collections).finally(() => client.end());
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
