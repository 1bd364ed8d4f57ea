// The API keys in SQLite, with a cache for authentication.
import type { Key, KeyOptions, KeyStore, StoreMethod } from "../port.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { toKey } from "../rows.ts";
import type { ReadCache } from "./cache.ts";
import type { Statements } from "./statements.ts";
import type { TransactionScheduler } from "./transactions.ts";

const maxCachedKeys = 10_000;

/** Implements the API keys of the SQLite store. */
export class SqliteKeys implements KeyStore {
  readonly #transactions: TransactionScheduler;
  readonly #statements: Statements;
  readonly #metrics: QueryMetrics;
  // By hash. Null for an unknown key, which clients usually send again. Every write clears the cache.
  readonly #cachedKeys: ReadCache<Key | null>;

  constructor(transactions: TransactionScheduler, statements: Statements, metrics: QueryMetrics) {
    this.#transactions = transactions;
    this.#statements = statements;
    this.#metrics = metrics;
    this.#cachedKeys = transactions.createCache(maxCachedKeys);
  }

  readonly create = (name: string, hash: string, { expiresAt, operator = false }: KeyOptions = {}): Promise<boolean> =>
    this.#write("keys_create", () => {
      const expires = expiresAt?.getTime() ?? null;
      return this.#statements.createKey.run(name, hash, Date.now(), expires, Number(operator)).changes === 1n;
    });

  readonly list = (): Promise<Key[]> =>
    this.#transactions.read(() => this.#statements.listKeys.all().map((row) => toKey(row) as Key));

  readonly find = (hash: string): Promise<Key | undefined> => this.#transactions.read(() => this.#find(hash));

  readonly revoke = (name: string): Promise<boolean> =>
    this.#write("keys_revoke", () => this.#statements.revokeKey.run(name).changes === 1n);

  readonly touch = (uses: ReadonlyMap<bigint, Date>): Promise<void> =>
    this.#write("keys_touch", () => {
      for (const [id, usedAt] of uses) this.#statements.touchKey.run(usedAt.getTime(), id);
    });

  #find(hash: string): Key | undefined {
    const cached = this.#cachedKeys.get(hash);
    if (cached !== undefined) return cached ?? undefined;
    const start = performance.now();
    const key = toKey(this.#statements.findKey.get(hash));
    this.#metrics.observeQuery("keys_find", start);
    this.#cachedKeys.set(hash, key ?? null);
    return key;
  }

  #write<T>(method: StoreMethod, work: () => T): Promise<T> {
    return this.#transactions.write(method, () => {
      this.#cachedKeys.clear();
      return work();
    });
  }
}
