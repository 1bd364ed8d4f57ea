// Deletes expired idempotency records in the background, in proportion to the new records.
import type { ConnectionPool } from "./connection-pool.ts";
import { statementsOf } from "./postgres-statements.ts";

const newRecordsPerDelete = 10; // a delete removes up to 20 records, so that expired records never accumulate

/**
 * Returns a function that counts new records, and deletes up to twice as many expired ones in the background, with one statement at a
 * time. Records created before `time`, in milliseconds since 1970, are expired.
 */
export function createIdempotencyRetention(pool: ConnectionPool, schema: string) {
  const { expire } = statementsOf(schema);
  let pending = 0; // new records since the last delete
  let isRunning = false;
  const run = async (time: number): Promise<void> => {
    isRunning = true;
    try {
      while (pending >= newRecordsPerDelete) {
        const deleted = await pool.query(expire, time);
        pending = deleted.length > 0 ? pending - newRecordsPerDelete : 0;
      }
    } catch {
      // The next call deletes what this one did not.
    } finally {
      isRunning = false;
    }
  };
  return (time: number, newRecords: number): void => {
    pending += newRecords;
    if (!isRunning && pending >= newRecordsPerDelete) run(time);
  };
}
