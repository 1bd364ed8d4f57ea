// Counts the requests of all workers in the primary, over IPC.
import type { Worker } from "node:cluster";
import type { BucketState, TokenBuckets } from "../http/index.ts";
import type { SharedCounter } from "./shared-counter.ts";

interface WorkerMessage {
  readonly count?: { readonly id: number; readonly clients: readonly string[] };
}

interface PrimaryMessage {
  readonly counted?: { readonly id: number; readonly states: readonly BucketState[] };
}

const maxPending = 1_000;

interface Batch {
  readonly clients: string[];
  readonly states: Promise<readonly BucketState[]>;
}

/** Creates the counter of a worker. The requests of one turn of the event loop share a message. */
export function connectToPrimaryCounter(): SharedCounter {
  const pending = new Map<number, (states: readonly BucketState[]) => void>();
  let lastId = 0;
  let next: Batch | undefined;
  process.on("message", ({ counted }: PrimaryMessage) => {
    if (counted === undefined) return;
    pending.get(counted.id)?.(counted.states);
    pending.delete(counted.id);
  });
  const startBatch = (): Batch => {
    const id = ++lastId;
    pending.delete(id - maxPending); // if the primary does not respond
    const clients: string[] = [];
    setImmediate(() => {
      next = undefined;
      // Fails if the primary has exited: then this process is about to exit, too.
      process.send?.({ count: { id, clients } } satisfies WorkerMessage, undefined, undefined, () => {});
    });
    return { clients, states: new Promise((resolve) => pending.set(id, resolve)) };
  };
  return {
    async take(client) {
      next ??= startBatch();
      const index = next.clients.push(client) - 1;
      return (await next.states)[index] as BucketState;
    },
  };
}

/** Counts the requests of a worker in the buckets of the primary. */
export function serveCounter(worker: Worker, buckets: TokenBuckets): void {
  worker.on("message", ({ count }: WorkerMessage) => {
    if (count === undefined) return;
    const states = count.clients.map((client) => buckets.take(client));
    const message: PrimaryMessage = { counted: { id: count.id, states } };
    worker.send(message, () => {}); // fails if the worker has exited
  });
}
