// Runs all reads of one event-loop tick in a single snapshot, and concurrent writes in a single transaction with one
// fsync.
//
// A tick receives its requests before the first read opens the snapshot, so no read is older than its request. A read
// outside a request's tick, for example after a write, shares the snapshot of the next tick. It may miss what another
// process committed within that tick.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { Unavailable } from "../../lib/index.ts";
import { Batcher } from "../batcher.ts";
import type { StoreMethod } from "../port.ts";
import { captureContext } from "../query-channel.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { retryWhileBusy } from "./busy.ts";
import { ReadCache } from "./cache.ts";
import { TracedStatement } from "./statements.ts";

const limits = { maxBatch: 10_000, maxWaiting: 10_000 };

interface Write {
  readonly method: StoreMethod;
  run(): unknown;
}

/** Options of a transaction scheduler. */
export interface TransactionOptions {
  readonly metrics: QueryMetrics;
  /** Milliseconds for which to retry while SQLite reports SQLITE_BUSY. */
  readonly busyTimeout: number;
  /** Runs after each commit. Throws if the file was removed or replaced. */
  checkFiles(): void;
}

/** Schedules the transactions of one connection, which must have no other user. */
export class TransactionScheduler {
  readonly #db: DatabaseSync;
  readonly #options: TransactionOptions;
  readonly #caches: { clear(): void }[] = [];
  readonly #writes = new Batcher<Write, unknown>(limits, (writes) => this.#writeBatch(writes));
  readonly #beginWrite: TracedStatement;
  readonly #commitWrite: TracedStatement;
  readonly #rollback: StatementSync;
  // Read transactions are not traced: most contain no statement, because the caches serve all of their reads.
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #readDataVersion: StatementSync;
  #dataVersion: unknown; // differs if another connection has committed
  #isReading = false;

  constructor(db: DatabaseSync, options: TransactionOptions) {
    this.#db = db;
    this.#options = options;
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
    this.#rollback = db.prepare("ROLLBACK");
    this.#beginWrite = new TracedStatement(db.prepare("BEGIN IMMEDIATE"));
    this.#commitWrite = new TracedStatement(this.#commit);
    this.#readDataVersion = db.prepare("PRAGMA data_version");
  }

  /** Runs `work` in the snapshot of this tick. Rejects like `retryWhileBusy`. */
  async read<T>(work: () => T): Promise<T> {
    try {
      if (!this.#isReading) this.#beginRead();
      return work();
    } catch {
      return retryWhileBusy(() => {
        this.#endRead();
        this.#beginRead();
        return work();
      }, this.#options.busyTimeout);
    }
  }

  /**
   * Runs `work` for `method` in the transaction of this tick's writes. Resolves when the commit is on the disk. Rejects
   * like `retryWhileBusy`.
   */
  write<T>(method: StoreMethod, work: () => T): Promise<T> {
    const runInContext = captureContext();
    const run = runInContext ? () => runInContext(work) : work;
    return this.#writes.add({ method, run }) as Promise<T>;
  }

  /**
   * Creates a cache that is cleared as soon as a read sees a commit of another connection. Only `read` may add entries.
   */
  createCache<T>(maxEntries: number): ReadCache<T> {
    const cache = new ReadCache<T>(maxEntries);
    this.#caches.push(cache);
    return cache;
  }

  #beginRead(): void {
    setImmediate(this.#endRead);
    this.#begin.run();
    const dataVersion = this.#readDataVersion.get()?.data_version;
    if (dataVersion !== this.#dataVersion) for (const cache of this.#caches) cache.clear();
    this.#dataVersion = dataVersion;
    this.#isReading = true;
  }

  readonly #endRead = (): void => {
    this.#isReading = false;
    if (this.#db.isOpen && this.#db.isTransaction) this.#commit.run();
  };

  #writeBatch(writes: readonly Write[]): Promise<readonly unknown[]> {
    const start = performance.now();
    const run = () => {
      const results = this.#transact(() => writes.map((write) => write.run()));
      this.#options.checkFiles();
      return results;
    };
    return retryWhileBusy(run, this.#options.busyTimeout).finally(() => this.#observe(writes, start));
  }

  #transact<T>(work: () => T): T {
    if (!this.#db.isOpen) throw new Unavailable("The store is closed.");
    this.#endRead();
    this.#beginWrite.run();
    try {
      const result = work();
      this.#commitWrite.run();
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#rollback.run();
      throw error;
    }
  }

  #observe(writes: readonly Write[], start: number): void {
    const calls = new Map<StoreMethod, number>();
    for (const { method } of writes) calls.set(method, (calls.get(method) ?? 0) + 1);
    for (const [method, count] of calls) {
      this.#options.metrics.observeQuery(method, start);
      this.#options.metrics.observeBatch(method, count);
    }
  }
}
