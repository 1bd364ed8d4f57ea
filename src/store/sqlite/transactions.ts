// Runs concurrent writes in a single transaction with one fsync (group commit). Each read is a statement of its own: a snapshot for the
// reads of a tick saves locks, but measured slower behind HTTP, and must not begin before the requests that it serves.
import { AsyncLocalStorage } from "node:async_hooks";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConstraintViolation, UnavailableError } from "../../lib/index.ts";
import { Batcher } from "../batcher.ts";
import type { StoreMethod } from "../port.ts";
import { captureContext, type RunInContext } from "../query/query-channel.ts";
import type { QueryMetrics } from "../query/query-metrics.ts";
import { distinguishOutOfIds, isSqliteError, retryWhileBusy } from "./busy.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import { TracedStatement } from "./sqlite-statements.ts";

const limits = { maxBatch: 10_000, maxWaiting: 10_000 };

/** The writes that can use the reserved disk space. */
const reservedMethods = /^keys_(create|rotate|revoke)$|_remove(Below)?$/;

interface Write {
  readonly method: StoreMethod;
  run(): unknown;
}

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
export type StatementRunner = Pick<TransactionScheduler, "read" | "write">;

/** The result of a write that has failed alone: the others of its transaction are committed. */
class Rejection {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

// A statement that violates a constraint changes nothing.
function runStatements(write: Write): unknown {
  try {
    return write.run();
  } catch (error) {
    if (error instanceof ConstraintViolation) return new Rejection(error);
    throw error;
  }
}

/** Schedules the transactions of one connection, which must have no other user. */
export class TransactionScheduler {
  readonly #db: DatabaseSync;
  readonly #options: SchedulerOptions;
  readonly #writes = new Batcher<Write, unknown>(limits, (writes) => this.#writeBatch(writes, false));
  readonly #reservedWrites = new Batcher<Write, unknown>(limits, (writes) => this.#writeBatch(writes, true));
  readonly #begin: TracedStatement;
  readonly #commit: TracedStatement;
  readonly #rollback: StatementSync;
  readonly #save: StatementSync;
  readonly #restore: StatementSync;
  readonly #release: StatementSync;
  #hasCheckpoints = true;
  #open: Promise<void> | undefined; // while a transaction awaits its work

  constructor(db: DatabaseSync, options: SchedulerOptions) {
    this.#db = db;
    this.#options = options;
    this.#begin = new TracedStatement(db.prepare("BEGIN IMMEDIATE"));
    this.#commit = new TracedStatement(db.prepare("COMMIT"));
    this.#rollback = db.prepare("ROLLBACK");
    this.#save = db.prepare("SAVEPOINT work");
    this.#restore = db.prepare("ROLLBACK TO work");
    this.#release = db.prepare("RELEASE work");
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
   * Runs `work` for `method` in one transaction with other writes. All other calls wait while it awaits. Resolves when the commit is on
   * the disk. Rejects like `retryWhileBusy`.
   */
  write<T>(
    method: StoreMethod,
    work: () => T | Promise<T>,
    { isReserved = reservedMethods.test(method) }: { readonly isReserved?: boolean } = {},
  ): Promise<T> {
    // A batch runs in the context of its first write. What a transaction calls can ask for its own.
    const runInContext: RunInContext | undefined =
      method === "transaction" ? AsyncLocalStorage.snapshot() : captureContext();
    const run = runInContext ? () => runInContext(work) : work;
    const result = (isReserved ? this.#reservedWrites : this.#writes).add({ method, run });
    return result.then((value) => {
      if (value instanceof Rejection) throw value.reason;
      return value as T;
    });
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
        const result = write.method === "transaction" ? this.#runAlone(write) : runStatements(write);
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

  // Runs the work of several calls. If it fails, only its own changes are rolled back.
  async #runAlone({ run }: Write): Promise<unknown> {
    this.#save.run();
    try {
      return await run();
    } catch (error) {
      if (isSqliteError(error)) throw error;
      this.#restore.run();
      return new Rejection(error);
    } finally {
      if (this.#db.isTransaction) this.#release.run(); // a full disk can have ended it
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
