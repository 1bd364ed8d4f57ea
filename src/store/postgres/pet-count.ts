// Counts the pets of the PostgreSQL store after a create has reached their limit.
import { shareResult, UnavailableError, withTimeout } from "../../lib/index.ts";
import { busyMessage } from "../batcher.ts";
import type { PetCount } from "../pet-limit.ts";
import type { Hosts } from "./hosts.ts";
import { connect } from "./postgres-connection.ts";
import { toStoreError } from "./postgres-errors.ts";
import { countPets, settledPetId } from "./postgres-statements.ts";

const queryTimeout = 60_000; // milliseconds: PostgreSQL counts some 10 million pets per second
const callTimeout = 1_000; // milliseconds

/**
 * Returns a function that counts the pets, and calls `onCount` with the result and the time at which the count began.
 * Concurrent calls share one count. A call rejects with `UnavailableError` after 1 s, but the count continues.
 */
export function createPetCount(hosts: Hosts, onCount: (count: PetCount, start: number) => void): () => Promise<void> {
  const run = shareResult(async () => {
    // A separate connection, because the count of a large store exceeds the timeouts of the pool.
    const client = await connect(hosts, { statement_timeout: queryTimeout, query_timeout: queryTimeout });
    try {
      const [settled] = (await client.query(settledPetId)).rows;
      if (settled === undefined) throw new UnavailableError(busyMessage); // creates need the row of petstore.secret
      // The count itself needs no lock: pets that are created meanwhile have higher ids.
      const start = performance.now();
      const { lastId, pets }: PetCount = (await client.query(countPets)).rows[0];
      onCount({ lastId: settled.id > lastId ? settled.id : lastId, pets }, start);
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
