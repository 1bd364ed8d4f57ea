// Group commit: coalesces concurrent calls into batches. One fsync serves all writes of a batch, and one round trip all
// of its reads.
import { setImmediate as nextTick } from "node:timers/promises";
import { UnavailableError } from "../lib/index.ts";
import { captureContext, type RunInContext, runInSharedContext } from "./query/query-channel.ts";

interface Call<T, R> {
  readonly item: T;
  readonly context: RunInContext | undefined;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** The message of the `UnavailableError` that rejects a call if too many calls are waiting. */
export const busyMessage = "The database is busy.";

/** The size of a batch, and the number of calls that may wait for their batch. */
export interface BatchLimits {
  readonly maxBatch: number;
  readonly maxWaiting: number;
}

/**
 * Sends the items of concurrent calls together: first those of one event-loop tick, then those that arrived while the
 * previous batch was in progress. Sends one batch at a time.
 */
export class Batcher<T, R> {
  readonly #limits: BatchLimits;
  readonly #send: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #waiting: Call<T, R>[] = [];
  #retries: Call<T, R>[][] = [];
  #running = false;

  /** `send` returns a result for each item, in their order. */
  constructor(limits: BatchLimits, send: (items: readonly T[]) => Promise<readonly R[]>) {
    this.#limits = limits;
    this.#send = send;
  }

  /**
   * Adds an item to the next batch, and returns its result. Rejects with `UnavailableError` if too many calls are waiting.
   * If a batch fails, its halves are sent separately, and so on, so that a faulty item fails alone.
   */
  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= this.#limits.maxWaiting) return reject(new UnavailableError(busyMessage));
      this.#waiting.push({ item, context: captureContext(), resolve, reject });
      if (!this.#running) setImmediate(this.#run);
      this.#running = true;
    });
  }

  readonly #run = async (): Promise<void> => {
    for (;;) {
      await this.#sendBatch(this.#retries.shift() ?? this.#waiting.splice(0, this.#limits.maxBatch));
      if (this.#retries.length + this.#waiting.length === 0) break;
      await nextTick(); // callers that add items at once would block timers and I/O: SQLite is synchronous
    }
    this.#running = false;
  };

  async #sendBatch(batch: Call<T, R>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const contexts = batch.map(({ context }) => context);
      const results = await runInSharedContext(contexts, () => this.#send(items));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (error instanceof UnavailableError) this.#rejectAll(batch, error);
      else if (batch.length > 1) {
        const half = Math.ceil(batch.length / 2);
        this.#retries.unshift(batch.slice(0, half), batch.slice(half));
      } else batch[0]?.reject(error);
    }
  }

  // Rejects the waiting calls too: each would wait for the same timeout again.
  #rejectAll(batch: Call<T, R>[], error: UnavailableError): void {
    for (const { reject } of [...batch, ...this.#retries.flat(), ...this.#waiting.splice(0)]) reject(error);
    this.#retries = [];
  }
}
