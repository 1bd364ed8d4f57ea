// Caches rows and pages until `PRAGMA data_version` reports a commit by another connection.

/**
 * A bounded cache. The transaction scheduler that created it clears it if another connection has committed. A write of
 * this connection that changes a cached value must clear it too.
 */
export class ReadCache<T> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, T>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  /** Adds an entry. Clears a full cache first, which is cheaper than tracking the least recently used entry. */
  set(key: string, value: T): void {
    if (this.#entries.size >= this.#maxEntries) this.#entries.clear();
    this.#entries.set(key, value);
  }

  clear(): void {
    this.#entries.clear();
  }
}
