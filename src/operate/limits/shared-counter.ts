// Counts the requests of a key over several processes. While the shared counter does not respond, each process counts for
// itself, within its share of the limit.

import { withTimeout } from "../../lib/index.ts";
import type { AttemptCounter, BucketState, TokenBuckets } from "./token-bucket.ts";

// Milliseconds for the shared counter to respond: more than it takes on a busy machine, because processes that count for
// themselves are less exact.
const timeout = 1_000;
const retryInterval = 1_000; // milliseconds between two attempts to report

/** Attempts by client. Negative if the shared counter has counted some that were rejected. */
export type Attempts = ReadonlyMap<string, number>;

/** A counter of several processes. Its methods reject if it is not reachable. */
export interface SharedCounter {
  /** The number of processes that use it, at least 1. */
  readonly processes: number;
  /** Counts an attempt of a client, if it has one left. */
  take(client: string): Promise<BucketState>;
  /** Counts attempts that a process has allowed already: all, or none if it rejects. */
  add(attempts: Attempts): Promise<unknown>;
}

export interface FallbackOptions {
  readonly shared: SharedCounter;
  /** The last states that this process knows. */
  readonly local: TokenBuckets;
  /** Called for each failure of the shared counter, and not for each attempt meanwhile. */
  readonly onError: (error: unknown) => void;
}

/**
 * Uses a shared counter. If it rejects, or does not respond within 1 s, this process continues with the last state that it
 * knows: each attempt counts as many times as there are processes, because each of them may allow as many. It reports the
 * attempts that it has allowed as soon as the shared counter responds, and then uses it again.
 */
export class FallbackCounter implements AttemptCounter {
  readonly #options: FallbackOptions;
  #countsLocally = false;
  #counted = 0;
  #unreported = new Map<string, number>();

  constructor(options: FallbackOptions) {
    this.#options = options;
  }

  /** The number of attempts that this process has counted for itself. */
  get counted(): number {
    return this.#counted;
  }

  take(client: string): BucketState | Promise<BucketState> {
    if (!this.#countsLocally) return this.#takeShared(client);
    const state = this.#takeLocal(client);
    if (state.allowed) this.#report(client, 1);
    return state;
  }

  async #takeShared(client: string): Promise<BucketState> {
    const { shared, local } = this.#options;
    const response = shared.take(client);
    try {
      const state = await withTimeout(response, timeout, "The shared counter does not respond.");
      local.set(client, state.used);
      return state;
    } catch (error) {
      const state = this.#takeLocal(client);
      const allowed = Number(state.allowed);
      // The response can still arrive: then the shared counter has counted the attempt itself.
      response.then(
        (late) => this.#report(client, allowed - Number(late.allowed)),
        () => this.#report(client, allowed),
      );
      this.#countLocally(error);
      return state;
    }
  }

  #takeLocal(client: string): BucketState {
    this.#counted += 1;
    return this.#options.local.take(client, this.#options.shared.processes);
  }

  #report(client: string, attempts: number): void {
    if (attempts !== 0) this.#unreported.set(client, (this.#unreported.get(client) ?? 0) + attempts);
  }

  // Counts for this process until a report has arrived. The report has no timeout, because one that was only delayed would be
  // counted twice.
  async #countLocally(error: unknown): Promise<void> {
    if (this.#countsLocally) return;
    this.#countsLocally = true;
    this.#options.onError(error);
    while (this.#countsLocally) {
      try {
        await this.#sendReport();
        this.#countsLocally = false;
        await this.#sendReport(); // of the attempts during the first one
      } catch (failure) {
        this.#options.onError(failure);
        await new Promise((resolve) => setTimeout(resolve, retryInterval).unref());
      }
    }
  }

  async #sendReport(): Promise<void> {
    const attempts = this.#unreported;
    this.#unreported = new Map();
    try {
      await this.#options.shared.add(attempts);
    } catch (error) {
      for (const [client, count] of attempts) this.#report(client, count);
      throw error;
    }
  }
}
