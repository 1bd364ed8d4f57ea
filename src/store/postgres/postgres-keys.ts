// The API keys in PostgreSQL. Concurrent lookups share one query.
import { Batcher } from "../batcher.ts";
import { createKeyStore, toKey } from "../keys.ts";
import type { Key, KeyStore } from "../port.ts";
import { batchLimits, type ConnectionPool } from "./connection-pool.ts";
import { statementsOf } from "./postgres-statements.ts";

/** Returns the API keys of the PostgreSQL store. */
export function createPostgresKeys(pool: ConnectionPool, schema: string): KeyStore {
  const statements = statementsOf(schema);
  const findAll = async (hashes: readonly string[]): Promise<(Key | undefined)[]> => {
    pool.metrics.observeBatch("keys_find", hashes.length);
    const rows = await pool.query(statements.keys_find, [...new Set(hashes)], Date.now());
    const keys = new Map(rows.map((row) => [row.hash, toKey(row)]));
    return hashes.map((hash) => keys.get(hash));
  };
  // The connections limit the lookups, because each has at most one request in progress. With a limit here, invalid keys
  // could reject the lookup of a valid key.
  const finds = new Batcher({ ...batchLimits, maxWaiting: Number.POSITIVE_INFINITY }, findAll);
  return createKeyStore((method, ...values) => pool.query(statements[method], ...values), {
    find: (hash) => finds.add(hash),
    touch: async (uses) => {
      const times = [...uses.values()].map((date) => date.getTime());
      await pool.query(statements.keys_touch, [...uses.keys()], times);
    },
  });
}
