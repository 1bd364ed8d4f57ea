// Deletes expired idempotency records in the background, in proportion to the new records.
import type { ConnectionPool } from "./connection-pool.ts";
import { type NamedStatement, statementsOf } from "./postgres-statements.ts";

const newRecordsPerDelete = 10; // a delete removes up to 20 records, so that expired records never accumulate

/** Deletes expired idempotency records with one statement at a time. */
export class IdempotencyRetention {
  readonly #pool: ConnectionPool;
  readonly #statement: NamedStatement;
  #newRecords = 0; // since the last delete
  #isRunning = false;

  constructor(pool: ConnectionPool, schema: string) {
    this.#pool = pool;
    this.#statement = statementsOf(schema).expire;
  }

  /**
   * Counts new records, and deletes up to twice as many expired ones in the background. Records created before `time`,
   * in milliseconds since 1970, are expired.
   */
  deleteExpired(time: number, newRecords: number): void {
    this.#newRecords += newRecords;
    if (!this.#isRunning && this.#newRecords >= newRecordsPerDelete) this.#run(time);
  }

  async #run(time: number): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#newRecords >= newRecordsPerDelete) {
        const deleted = await this.#pool.query(this.#statement, time);
        this.#newRecords = deleted.length > 0 ? this.#newRecords - newRecordsPerDelete : 0;
      }
    } catch {
      // The next call deletes what this one did not.
    } finally {
      this.#isRunning = false;
    }
  }
}
