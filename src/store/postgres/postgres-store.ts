// The store for several machines: a PostgreSQL database, which any number of processes may share.
import { PetLimit } from "../pet-limit.ts";
import type { DailyCalls, DeprecatedCalls, OpenMode, Store } from "../port.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { ConnectionPool, type PoolOptions } from "./connection-pool.ts";
import { createPetCount } from "./pet-count.ts";
import { prepareDatabase } from "./postgres-connection.ts";
import { PostgresKeys } from "./postgres-keys.ts";
import { PostgresPets } from "./postgres-pets.ts";

/** The store in a PostgreSQL database. */
export class PostgresStore implements Store {
  readonly kind = "postgresql";
  readonly pets: PostgresPets;
  readonly keys: PostgresKeys;
  readonly deprecated: DeprecatedCalls;
  readonly metrics: QueryMetrics;
  readonly #pool: ConnectionPool;

  private constructor(pool: ConnectionPool, pets: PostgresPets) {
    this.pets = pets;
    this.keys = new PostgresKeys(pool);
    this.deprecated = new PostgresDeprecatedCalls(pool);
    this.metrics = pool.metrics;
    this.#pool = pool;
  }

  /** Opens the store in the database of `url`. Rejects like `prepareDatabase`. */
  static async open(url: string, mode: OpenMode, maxPets: bigint | null, options: PoolOptions): Promise<PostgresStore> {
    const start = performance.now();
    const { hosts, petCount } = await prepareDatabase(url, mode, maxPets !== null);
    const limit = new PetLimit(maxPets);
    if (petCount !== undefined) limit.update(petCount, start);
    const pool = new ConnectionPool(hosts, options);
    const count = createPetCount(hosts, (petCount, start) => limit.update(petCount, start));
    return new PostgresStore(pool, new PostgresPets(pool, limit, count));
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
