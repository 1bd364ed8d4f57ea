// Token buckets: a client can use its whole limit at once, and gets it back evenly over the period. After a burst, it
// continues at the average rate instead of waiting for the end of a window.

/** A rate limit: `count` attempts at once, and `count` further ones in each `seconds`. */
export interface RateLimit {
  readonly count: number;
  readonly seconds: number;
}

/** The state of a client's bucket after an attempt. */
export interface BucketState {
  readonly allowed: boolean;
  /** The attempts that the client has not got back yet. Not an integer. */
  readonly used: number;
}

/** Counts the attempts of each client. */
export interface AttemptCounter {
  /** Counts an attempt of a client, if it has one left. */
  take(client: string): BucketState | Promise<BucketState>;
}

const maxClients = 100_000; // bounds the memory if an attacker changes addresses

/** The difference below which a number of attempts counts as an integer. */
export const tolerance = 1e-6;

/** The buckets of a process. */
export class TokenBuckets implements AttemptCounter {
  readonly #limit: RateLimit;
  readonly #clock: () => number;
  // Least recently used first.
  readonly #buckets = new Map<string, { readonly used: number; readonly at: number }>();

  /** `clock` returns milliseconds of a monotonic clock. */
  constructor(limit: RateLimit, clock = () => performance.now()) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Counts an attempt of a client as `cost` attempts, if it has one left. */
  take(client: string, cost = 1): BucketState {
    const used = this.#read(client);
    const allowed = used + 1 <= this.#limit.count + tolerance;
    const state = { allowed, used: allowed ? used + cost : used };
    this.set(client, state.used);
    return state;
  }

  /** Counts attempts that were allowed already; a negative number takes some back. */
  add(client: string, attempts: number): void {
    this.set(client, Math.max(0, this.#read(client) + attempts));
  }

  /** Sets the attempts that a client has not got back yet. */
  set(client: string, used: number): void {
    const now = this.#clock();
    this.#buckets.delete(client);
    this.#buckets.set(client, { used, at: now });
    this.#evict(now - this.#limit.seconds * 1_000);
  }

  #read(client: string): number {
    const { count, seconds } = this.#limit;
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) return 0;
    return Math.max(0, bucket.used - ((this.#clock() - bucket.at) * count) / (seconds * 1_000));
  }

  // Removes the buckets that were used last before `fullBefore`, which are full, and the oldest of too many.
  #evict(fullBefore: number): void {
    for (const [client, { at }] of this.#buckets) {
      if (at > fullBefore && this.#buckets.size <= maxClients) break;
      this.#buckets.delete(client);
    }
  }
}
