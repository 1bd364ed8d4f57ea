// The one place that knows which stores there are.
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { Store } from "./store.ts";

/** How to open a store. */
export interface Opening {
  /** Whether to make it where there is none. */
  readonly create?: boolean;
  /** To PostgreSQL, the most connections at once. */
  readonly connections?: number;
}

/**
 * Opens the store that DATABASE_URL names: `sqlite:PATH`, `sqlite::memory:` or `postgres://…`.
 * Rejects with an Error that says what is wrong.
 */
export async function openStore(url: string, { create = true, connections = 10 }: Opening = {}): Promise<Store> {
  const [, file] = /^sqlite:(.*)$/s.exec(url) ?? [];
  return file === undefined ? openPostgres(url, create, connections) : openSqlite(file, create);
}
