// Counts the requests of all workers in the primary, over IPC.
import type { Worker } from "node:cluster";
import type { Attempts, SharedCounter } from "./shared-counter.ts";
import type { BucketState, TokenBuckets } from "./token-bucket.ts";

interface WorkerMessage {
  /** Attempts to count if they are allowed, by client, and attempts that were allowed already. */
  readonly count?: { readonly id: number; readonly clients: readonly string[]; readonly added: [string, number][] };
}

interface PrimaryMessage {
  readonly counted?: { readonly id: number; readonly states: readonly BucketState[] };
}

const maxPending = 1_000;

interface Batch {
  readonly clients: string[];
  readonly states: Promise<readonly BucketState[]>;
}

/** The counter of a worker. The requests of one tick of the event loop share a message. */
class PrimaryCounter implements SharedCounter {
  readonly processes: number;
  readonly #pending = new Map<number, (states: readonly BucketState[]) => void>();
  #lastId = 0;
  #next: Batch | undefined;

  constructor(workers: number) {
    this.processes = workers;
    process.on("message", ({ counted }: PrimaryMessage) => {
      if (counted === undefined) return;
      this.#pending.get(counted.id)?.(counted.states);
      this.#pending.delete(counted.id);
    });
  }

  async take(client: string): Promise<BucketState> {
    this.#next ??= this.#startBatch();
    const index = this.#next.clients.push(client) - 1;
    return (await this.#next.states)[index] as BucketState;
  }

  add(attempts: Attempts): Promise<unknown> {
    return this.#send([], [...attempts]);
  }

  #startBatch(): Batch {
    const clients: string[] = [];
    const { promise: states, resolve } = Promise.withResolvers<readonly BucketState[]>();
    setImmediate(() => {
      this.#next = undefined;
      this.#send(clients, []).then(resolve);
    });
    return { clients, states };
  }

  #send(clients: readonly string[], added: [string, number][]): Promise<readonly BucketState[]> {
    const id = ++this.#lastId;
    this.#pending.delete(id - maxPending); // if the primary does not respond
    // Fails if the primary has exited: then this process is about to exit, too.
    process.send?.({ count: { id, clients, added } } satisfies WorkerMessage, undefined, undefined, () => {});
    return new Promise((resolve) => this.#pending.set(id, resolve));
  }
}

/** Creates the counter of a worker. `workers` is the number of workers. */
export function connectToPrimaryCounter(workers: number): SharedCounter {
  return new PrimaryCounter(workers);
}

/** Counts the requests of a worker in the buckets of the primary. */
export function serveCounter(worker: Worker, buckets: TokenBuckets): void {
  worker.on("message", ({ count }: WorkerMessage) => {
    if (count === undefined) return;
    for (const [client, attempts] of count.added) buckets.add(client, attempts);
    const states = count.clients.map((client) => buckets.take(client));
    const message: PrimaryMessage = { counted: { id: count.id, states } };
    worker.send(message, () => {}); // fails if the worker has exited
  });
}
