// Runs concurrent writes in one transaction with one fsync (group commit), and concurrent reads of single rows in one snapshot.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { UnavailableError } from "../../lib/index.ts";
import { Batcher } from "../batcher.ts";
import type { StoreMethod } from "../port.ts";
import { captureContext } from "../query-channel.ts";
import type { QueryMetrics } from "../query-metrics.ts";
import { distinguishOutOfIds, retryWhileBusy } from "./busy.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import { TracedStatement } from "./sqlite-statements.ts";

const limits = { maxBatch: 10_000, maxWaiting: 10_000 };

/** The writes that can use the reserved disk space. */
const reservedMethods = /^keys_(create|rotate|revoke)$|_remove(Below)?$/;

interface Write {
  readonly method: StoreMethod;
  run(): unknown;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Options of a transaction scheduler. */
export interface SchedulerOptions {
  readonly metrics: QueryMetrics;
  /** Milliseconds for which to retry while SQLite reports SQLITE_BUSY. */
  readonly busyTimeout: number;
  readonly reserve: DiskReserve;
  /** Runs after each commit. Throws if the file was removed or replaced. */
  checkFiles(): void;
}

/** Runs the statements of a method of the store. */
export type StatementRunner = Pick<TransactionScheduler, "read" | "readRow" | "write">;

/** Schedules the transactions of one connection, which must have no other user. */
export class TransactionScheduler {
  readonly #db: DatabaseSync;
  readonly #options: SchedulerOptions;
  readonly #reads = new Batcher<() => Outcome, Outcome>(limits, (reads) => this.#readBatch(reads));
  readonly #writes = new Batcher<Write, unknown>(limits, (writes) => this.#writeBatch(writes, false));
  readonly #reservedWrites = new Batcher<Write, unknown>(limits, (writes) => this.#writeBatch(writes, true));
  readonly #begin: TracedStatement;
  readonly #commit: TracedStatement;
  readonly #rollback: StatementSync;
  readonly #beginRead: StatementSync;
  readonly #endRead: StatementSync;
  #hasCheckpoints = true;
  #open: Promise<void> | undefined; // while a transaction awaits its work

  constructor(db: DatabaseSync, options: SchedulerOptions) {
    this.#db = db;
    this.#options = options;
    this.#begin = new TracedStatement(db.prepare("BEGIN IMMEDIATE"));
    this.#commit = new TracedStatement(db.prepare("COMMIT"));
    this.#rollback = db.prepare("ROLLBACK");
    this.#beginRead = db.prepare("BEGIN");
    this.#endRead = db.prepare("COMMIT");
  }

  /** Runs statements that read for `method`. Rejects like `retryWhileBusy`. */
  read<T>(method: StoreMethod, work: () => T): Promise<T> {
    const start = performance.now();
    const run = (): T | Promise<T> => {
      if (this.#open) return this.#open.then(run); // would read what is not committed
      const result = work();
      this.#options.metrics.observeQuery(method, start);
      return result;
    };
    return retryWhileBusy(run, this.#options.busyTimeout);
  }

  /**
   * Reads a row for `method` like `read`, in one snapshot with those of concurrent calls, because the locks of the file take longer than
   * the row. The snapshot begins after all of these calls, so that none misses a commit whose response its client has seen.
   */
  readRow<T>(method: StoreMethod, work: () => T): Promise<T> {
    const start = performance.now();
    const runInContext = captureContext();
    const run = (): Outcome => {
      try {
        return { value: runInContext ? runInContext(work) : work() };
      } catch (error) {
        return { error }; // the others do not fail
      }
    };
    const read = async () => {
      const outcome = await this.#reads.add(run);
      if ("error" in outcome) throw outcome.error;
      this.#options.metrics.observeQuery(method, start);
      return outcome.value as T;
    };
    return retryWhileBusy(read, this.#options.busyTimeout);
  }

  async #readBatch(reads: readonly (() => Outcome)[]): Promise<readonly Outcome[]> {
    while (this.#open) await this.#open;
    const runAll = () => reads.map((read) => read());
    if (reads.length === 1) return runAll();
    this.#beginRead.run();
    try {
      return runAll();
    } finally {
      if (this.#db.isTransaction) this.#endRead.run();
    }
  }

  /**
   * Runs `work` for `method` in one transaction with other writes. All other calls wait while it awaits. Resolves when the commit is on
   * the disk. Rejects like `retryWhileBusy`.
   */
  write<T>(
    method: StoreMethod,
    work: () => T | Promise<T>,
    { isReserved = reservedMethods.test(method) }: { readonly isReserved?: boolean } = {},
  ): Promise<T> {
    const runInContext = captureContext();
    const run = runInContext ? () => runInContext(work) : work;
    return (isReserved ? this.#reservedWrites : this.#writes).add({ method, run }) as Promise<T>;
  }

  #writeBatch(writes: readonly Write[], isReserved: boolean): Promise<readonly unknown[]> {
    const start = performance.now();
    const { reserve, checkFiles, busyTimeout } = this.#options;
    const run = async () => {
      while (this.#open) await this.#open;
      if (!isReserved) {
        reserve.ensure();
        this.#setCheckpoints(true);
      }
      const results = await this.#transact(writes).catch(async (error) => {
        if (!isReserved) throw error;
        reserve.release(error);
        while (this.#open) await this.#open;
        this.#setCheckpoints(false);
        return this.#transact(writes);
      });
      checkFiles();
      return results;
    };
    return retryWhileBusy(run, busyTimeout).finally(() => this.#observe(writes, start));
  }

  // Without checkpoints, the -wal file has all of the released space. A checkpoint would need it to move pages to the database.
  #setCheckpoints(enabled: boolean): void {
    if (enabled === this.#hasCheckpoints) return;
    this.#db.exec(`PRAGMA wal_autocheckpoint = ${enabled ? 1_000 : 0}`);
    this.#hasCheckpoints = enabled;
  }

  // Without a pause between BEGIN and COMMIT, unless a write awaits.
  async #transact(writes: readonly Write[]): Promise<readonly unknown[]> {
    if (!this.#db.isOpen) throw new UnavailableError("The database is closed.");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#begin.run();
    try {
      const results: unknown[] = [];
      for (const write of writes) {
        const result = write.run();
        if (result instanceof Promise) this.#open = promise;
        results.push(result instanceof Promise ? await result : result);
      }
      this.#commit.run();
      return results;
    } catch (error) {
      if (this.#db.isTransaction) this.#rollback.run();
      throw distinguishOutOfIds(error, this.#db);
    } finally {
      this.#open = undefined;
      resolve();
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
