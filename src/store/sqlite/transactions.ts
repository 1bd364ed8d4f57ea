// Runs concurrent writes in a single transaction with one fsync (group commit). Each read is a statement of its own.
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

const keyWrites: readonly StoreMethod[] = ["keys_create", "keys_rotate", "keys_revoke"];

interface Write {
  readonly method: StoreMethod;
  run(): unknown;
}

/** Options of a transaction scheduler. */
export interface TransactionOptions {
  readonly metrics: QueryMetrics;
  /** Milliseconds for which to retry while SQLite reports SQLITE_BUSY. */
  readonly busyTimeout: number;
  readonly reserve: DiskReserve;
  /** Runs after each commit. Throws if the file was removed or replaced. */
  checkFiles(): void;
}

/** Schedules the transactions of one connection, which must have no other user. */
export class TransactionScheduler {
  readonly #db: DatabaseSync;
  readonly #options: TransactionOptions;
  readonly #writes = new Batcher<Write, unknown>(limits, (writes) => this.#writeBatch(writes));
  readonly #begin: TracedStatement;
  readonly #commit: TracedStatement;
  readonly #rollback: StatementSync;

  constructor(db: DatabaseSync, options: TransactionOptions) {
    this.#db = db;
    this.#options = options;
    this.#begin = new TracedStatement(db.prepare("BEGIN IMMEDIATE"));
    this.#commit = new TracedStatement(db.prepare("COMMIT"));
    this.#rollback = db.prepare("ROLLBACK");
  }

  /** Runs a statement that reads for `method`. Rejects like `retryWhileBusy`. */
  read<T>(method: StoreMethod, work: () => T): Promise<T> {
    const start = performance.now();
    const run = () => {
      const result = work();
      this.#options.metrics.observeQuery(method, start);
      return result;
    };
    return retryWhileBusy(run, this.#options.busyTimeout);
  }

  /**
   * Runs `work` for `method` in one transaction with other writes. Resolves when the commit is on the disk. Rejects
   * like `retryWhileBusy`.
   */
  write<T>(method: StoreMethod, work: () => T): Promise<T> {
    const runInContext = captureContext();
    const run = runInContext ? () => runInContext(work) : work;
    return this.#writes.add({ method, run }) as Promise<T>;
  }

  #writeBatch(writes: readonly Write[]): Promise<readonly unknown[]> {
    const start = performance.now();
    const { reserve, checkFiles } = this.#options;
    const usesReserve = writes.every(({ method }) => keyWrites.includes(method));
    const transact = () => this.#transact(() => writes.map((write) => write.run()));
    const run = () => {
      if (!usesReserve) reserve.ensure();
      const results = usesReserve ? reserve.use(transact) : transact();
      checkFiles();
      return results;
    };
    return retryWhileBusy(run, this.#options.busyTimeout).finally(() => this.#observe(writes, start));
  }

  #transact<T>(work: () => T): T {
    if (!this.#db.isOpen) throw new UnavailableError("The database is closed.");
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#rollback.run();
      throw distinguishOutOfIds(error, this.#db);
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
