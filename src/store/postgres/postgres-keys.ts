// The API keys in PostgreSQL. Concurrent lookups share one query.
import { Batcher } from "../batcher.ts";
import type { Key, KeyStore } from "../port.ts";
import { toKey } from "../rows.ts";
import { batchLimits, type ConnectionPool } from "./connection-pool.ts";
import { statementsOf } from "./postgres-statements.ts";

/** Implements the API keys of the PostgreSQL store. */
export class PostgresKeys implements KeyStore {
  readonly #pool: ConnectionPool;
  readonly #statements: ReturnType<typeof statementsOf>;
  // The connections limit the lookups, because each has at most one request in progress. With a limit here, invalid keys
  // could reject the lookup of a valid key.
  readonly #finds = new Batcher<string, Key | undefined>(
    { ...batchLimits, maxWaiting: Number.POSITIVE_INFINITY },
    (hashes) => this.#findAll(hashes),
  );

  constructor(pool: ConnectionPool, schema: string) {
    this.#pool = pool;
    this.#statements = statementsOf(schema);
  }

  readonly create: KeyStore["create"] = async (name, hash, { expiresAt, operator = false, scopes } = {}) => {
    const values = [Date.now(), expiresAt?.getTime() ?? null, Number(operator), scopes?.join(" ") ?? null];
    return (await this.#pool.query(this.#statements.keys_create, name, hash, ...values)).length > 0;
  };

  // Sorted here: the order of a text column depends on the locale of the database.
  readonly list = async (): Promise<Key[]> =>
    (await this.#pool.query(this.#statements.keys_list))
      .map((row) => toKey(row) as Key)
      .sort((a, b) => (a.name < b.name ? -1 : 1));

  readonly find = (hash: string): Promise<Key | undefined> => this.#finds.add(hash);

  readonly rotate: KeyStore["rotate"] = async (key, hash, previousExpiresAt) => {
    const known = key.previousExpiresAt?.getTime() ?? null;
    return (
      (await this.#pool.query(this.#statements.keys_rotate, key.id, hash, previousExpiresAt.getTime(), known)).length >
      0
    );
  };

  readonly revoke = async (name: string): Promise<boolean> =>
    (await this.#pool.query(this.#statements.keys_revoke, name)).length > 0;

  readonly touch = async (uses: ReadonlyMap<bigint, Date>): Promise<void> => {
    const times = [...uses.values()].map((date) => date.getTime());
    await this.#pool.query(this.#statements.keys_touch, [...uses.keys()], times);
  };

  async #findAll(hashes: readonly string[]): Promise<(Key | undefined)[]> {
    this.#pool.metrics.observeBatch("keys_find", hashes.length);
    const rows = await this.#pool.query(this.#statements.keys_find, [...new Set(hashes)], Date.now());
    const rowsByHash = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => toKey(rowsByHash.get(hash)));
  }
}
