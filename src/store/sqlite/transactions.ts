// A turn of the event loop as a transaction: all that it reads is of one state, and all that it
// writes goes to the disk with one sync. The requests that a turn brings were there before their first
// read, which makes that state: nothing is older than its request. (What reads outside of a request's
// turn, after a write say, shares its state with the next one: it can lack what another process
// committed within that turn.)
import type { DatabaseSync } from "node:sqlite";
import { Unavailable } from "../../lib/index.ts";
import { coalesce } from "../batcher.ts";
import type { StoreMethod } from "../port.ts";
import { captureContext, traced } from "../query-channel.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { retryWhileBusy } from "./connection.ts";

const room = { maxBatch: 10_000, maxWaiting: 10_000 };

/** The turns of one connection. */
export interface TransactionScheduler {
  /** Reads the state of this turn. Rejects as `patiently` does. */
  read<T>(work: () => T): Promise<T>;
  /** Writes for `method`, with all else that this turn writes, and resolves when it is on the disk. Rejects as `patiently` does. */
  write<T>(method: StoreMethod, work: () => T): Promise<T>;
  /**
   * Room for so many values that were read, by name. They go as soon as another connection has
   * committed; what this one writes, `write` must forget. Only what `read` reads may be remembered.
   */
  cache<T>(room: number): Memory<T>;
}

/** Values that may be gone at any time. */
export interface Memory<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
  clear(): void;
}

interface Job {
  readonly method: StoreMethod;
  work(): unknown;
}

/**
 * Builds the transaction scheduler of `db`, which must have no other user. Retries for up to `timeout` ms while SQLite
 * reports SQLITE_BUSY. Calls `kept` after each commit, which throws if the file was removed or replaced.
 */
export function createTransactionScheduler(
  db: DatabaseSync,
  kept: () => void,
  figures: QueryMetrics,
  timeout: number,
): TransactionScheduler {
  const begin = db.prepare("BEGIN");
  const beginWrite = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const version = db.prepare("PRAGMA data_version"); // another one where another connection has committed
  const memories: { clear(): void }[] = [];
  let known: unknown;
  let reading = false;

  const beginReading = () => {
    setImmediate(endReading);
    begin.run();
    const now = version.get()?.data_version;
    if (now !== known) for (const memory of memories) memory.clear();
    known = now;
    reading = true;
  };
  const endReading = () => {
    reading = false;
    if (db.isOpen && db.isTransaction) commit.run();
  };

  // Those of reading turns are not told: most such turns ask nothing between them.
  const toldBegin = traced(beginWrite);
  const toldCommit = traced(commit);
  const transact = <T>(work: () => T): T => {
    if (!db.isOpen) throw new Unavailable("The store is closed.");
    endReading();
    toldBegin.run();
    try {
      const result = work();
      toldCommit.run();
      return result;
    } catch (error) {
      if (db.isTransaction) rollback.run();
      throw error;
    }
  };
  const count = (jobs: readonly Job[], since: number) => {
    const calls = new Map<StoreMethod, number>();
    for (const { method } of jobs) calls.set(method, (calls.get(method) ?? 0) + 1);
    for (const [method, of] of calls) {
      figures.observeQuery(method, since);
      figures.observeBatch(method, of);
    }
  };
  const write = coalesce<Job, unknown>(room, (jobs) => {
    const since = performance.now();
    return retryWhileBusy(() => {
      const results = transact(() => jobs.map((job) => job.work()));
      kept();
      return results;
    }, timeout).finally(() => count(jobs, since));
  });

  return {
    async read(work) {
      try {
        if (!reading) beginReading();
        return work();
      } catch {
        return retryWhileBusy(() => {
          endReading();
          beginReading();
          return work();
        }, timeout);
      }
    },
    write<T>(method: StoreMethod, work: () => T) {
      const call = captureContext();
      return write({ method, work: call ? () => call(work) : work }) as Promise<T>;
    },
    cache<T>(room: number) {
      const values = new Map<string, T>();
      memories.push(values);
      return {
        get: (name) => values.get(name),
        set(name, value) {
          if (values.size >= room) values.clear();
          values.set(name, value);
        },
        clear: () => values.clear(),
      } satisfies Memory<T>;
    },
  };
}
