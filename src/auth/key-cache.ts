// Caches the API keys of the last milliseconds: under load, most requests are authenticated without the store.
import type { Key, KeyStore } from "../store/index.ts";

const maxAge = 5; // milliseconds after which a revocation takes effect

/** Finds API keys by their hash. A result is at most 5 ms old. Unknown keys are not cached. */
export class KeyCache {
  readonly #keys: Pick<KeyStore, "find">;
  readonly #clock: () => number;
  #expiresAt = Number.NEGATIVE_INFINITY;
  // Replaced when it expires, so that a lookup that takes longer stores its result in a map that is not used any more.
  // The number of requests within 5 ms limits its size.
  #found = new Map<string, Key>();

  /** `clock` returns milliseconds of a monotonic clock. */
  constructor(keys: Pick<KeyStore, "find">, clock = () => performance.now()) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Returns the key with this hash, also if it has expired. Rejects like the store. */
  async find(hash: string): Promise<Key | undefined> {
    const now = this.#clock();
    if (now >= this.#expiresAt) {
      this.#found = new Map();
      this.#expiresAt = now + maxAge;
    }
    const found = this.#found;
    const cached = found.get(hash);
    if (cached !== undefined) return cached;
    const key = await this.#keys.find(hash);
    if (key !== undefined) found.set(hash, key);
    return key;
  }
}
