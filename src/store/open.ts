// The one place that knows which stores there are.
import { openSqlite } from "./sqlite.ts";
import type { Store } from "./store.ts";

/**
 * Opens the store that DATABASE_URL names: `sqlite:PATH` or `sqlite::memory:`. One that is not there
 * is made, unless `create` is false. Throws an Error that says what is wrong.
 */
export async function openStore(url: string, create = true): Promise<Store> {
  return openSqlite(url.slice("sqlite:".length), create);
}
