// The store for several machines: a PostgreSQL database, which any number of processes may share.
import type { DailyCalls, DeprecatedCalls, OpenMode, Store } from "../port.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { type PreparedDatabase, prepareDatabase } from "./connection.ts";
import { ConnectionPool, type PoolOptions } from "./connection-pool.ts";
import { PostgresKeys } from "./keys.ts";
import { PostgresPets } from "./pets.ts";

/** The store in a PostgreSQL database. */
export class PostgresStore implements Store {
  readonly pets: PostgresPets;
  readonly keys: PostgresKeys;
  readonly deprecated: DeprecatedCalls;
  readonly metrics: QueryMetrics;
  readonly secret: Uint8Array;
  readonly #pool: ConnectionPool;

  private constructor(pool: ConnectionPool, { secret, maxPetId }: PreparedDatabase) {
    this.pets = new PostgresPets(pool, maxPetId);
    this.keys = new PostgresKeys(pool);
    this.deprecated = new PostgresDeprecatedCalls(pool);
    this.metrics = pool.metrics;
    this.secret = secret;
    this.#pool = pool;
  }

  /** Opens the store in the database of `url`. Rejects like `prepareDatabase`. */
  static async open(url: string, mode: OpenMode, maxPets: bigint | null, pool: PoolOptions): Promise<PostgresStore> {
    const { hosts, ...prepared } = await prepareDatabase(url, mode, maxPets);
    return new PostgresStore(new ConnectionPool(hosts, pool), prepared);
  }

  readonly check = async (): Promise<void> => void (await this.#pool.query("check"));

  readonly close = (): Promise<void> => this.#pool.close();
}

class PostgresDeprecatedCalls implements DeprecatedCalls {
  readonly #pool: ConnectionPool;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  readonly add = async (calls: readonly DailyCalls[], since: bigint): Promise<void> => {
    const column = (name: keyof DailyCalls) => calls.map((call) => call[name]);
    await this.#pool.query("addCalls", column("operation"), column("key"), column("day"), column("count"), since);
  };

  readonly list = async (since: bigint): Promise<DailyCalls[]> =>
    (await this.#pool.query("listCalls", since)) as unknown as DailyCalls[];
}
