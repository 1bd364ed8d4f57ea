// The API keys in SQLite.
import { createKeyStore, toKey } from "../keys.ts";
import type { KeyStore } from "../port.ts";
import type { Statements } from "./sqlite-statements.ts";
import type { TransactionScheduler } from "./transactions.ts";

/** Returns the API keys of the SQLite store. */
export function createSqliteKeys(transactions: TransactionScheduler, statements: Statements): KeyStore {
  const run: Parameters<typeof createKeyStore>[0] = (method, ...values) =>
    transactions[method === "keys_list" ? "read" : "write"](method, () => statements[method].all(...values));
  return createKeyStore(run, {
    find: (hash) =>
      transactions.read("keys_find", () => {
        const row = statements.keys_find.get(hash, Date.now());
        return row && toKey(row);
      }),
    touch: (uses) =>
      transactions.write("keys_touch", () => {
        for (const [id, usedAt] of uses) statements.keys_touch.run(usedAt.getTime(), id);
      }),
  });
}
