// Counts the records of a collection in PostgreSQL after a create has reached their limit.
import { shareResult, UnavailableError, withTimeout } from "../../lib/index.ts";
import { busyMessage } from "../batcher.ts";
import type { RecordCount } from "../record-limit.ts";
import type { Collection } from "../records.ts";
import { connect, type Database } from "./postgres-connection.ts";
import { toStoreError } from "./postgres-errors.ts";
import { countRecords, settledId } from "./postgres-statements.ts";

const queryTimeout = 60_000; // milliseconds: PostgreSQL counts some 10 million records per second
const callTimeout = 1_000; // milliseconds

/**
 * Returns a function that counts the records of a collection, and calls `onCount` with the result and the time at which the count began.
 * Concurrent calls share one count. A call rejects with `UnavailableError` after 1 s, but the count continues.
 */
export function createRecordCount(
  database: Database,
  collection: Collection,
  onCount: (count: RecordCount, start: number) => void,
): () => Promise<void> {
  const run = shareResult(async () => {
    // A separate connection, because the count of a large store exceeds the timeouts of the pool.
    const client = await connect(database, { statement_timeout: queryTimeout, query_timeout: queryTimeout });
    try {
      const [settled] = (await client.query(settledId(database.schema, collection))).rows;
      if (settled === undefined) throw new UnavailableError(busyMessage); // creates need the row of the table secret
      // The count itself needs no lock: records that are created meanwhile have higher ids.
      const start = performance.now();
      const { lastId, records }: RecordCount = (await client.query(countRecords(database.schema, collection))).rows[0];
      onCount({ lastId: settled.id > lastId ? settled.id : lastId, records }, start);
    } finally {
      client.end(); // without waiting: the network may be down
    }
  }, 0);
  const runOrReject = () =>
    run().catch((error) => {
      throw toStoreError(error);
    });
  return () => withTimeout(runOrReject(), callTimeout, busyMessage);
}
