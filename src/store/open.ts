// The one place that knows which stores there are.
import { openSqlite } from "./sqlite.ts";
import { openSqliteTables } from "./sqlite-tables.ts";
import type { Access, Store, Timeouts } from "./store.ts";
import type { Tables } from "./tables.ts";

/** How to open a store. */
export interface Opening {
  readonly access?: Access;
  /** To PostgreSQL, the most connections at once. */
  readonly connections?: number;
  readonly timeouts?: Partial<Timeouts>;
}

/** How to open tables. */
export interface TablesOpening {
  /** Milliseconds for which to retry LOCK TABLE (PostgreSQL only). */
  readonly lockTimeout?: number;
}

// `connect` and `answer` together are less than 2 s. PostgreSQL cancels a statement before the store stops waiting for
// it, so that no statements pile up whose callers are gone.
const defaults: Timeouts = { lock: 5_000, connect: 800, statement: 900, answer: 1_000, idle: 10_000 };

/**
 * Opens the store that DATABASE_URL names: `sqlite:PATH`, `sqlite::memory:` or `postgres://…`.
 * Rejects with an Error that says what is wrong.
 */
export async function openStore(
  url: string,
  { access = "make", connections = 10, timeouts = {} }: Opening = {},
): Promise<Store> {
  const file = toFile(url);
  const limits = { ...defaults, ...timeouts };
  if (file !== undefined) return openSqlite(file, access, limits);
  const { openPostgres } = await import("./postgres.ts"); // its driver only where it is of use
  return openPostgres(url, access, connections, limits);
}

/** Opens the tables of a store, to read or fill them. Rejects as `openStore` does. */
export async function openTables(
  url: string,
  access: Access,
  { lockTimeout = 5_000 }: TablesOpening = {},
): Promise<Tables> {
  const file = toFile(url);
  if (file !== undefined) return openSqliteTables(file, access);
  const { openPostgresTables } = await import("./postgres-tables.ts");
  return openPostgresTables(url, access, lockTimeout);
}

/** Whether there is a store of this version; not, where none was made yet. Rejects as `openStore` does for any other. */
export async function isThere(url: string): Promise<boolean> {
  try {
    await (await openTables(url, "look")).close();
    return true;
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === "ENOENT") return false;
    throw error;
  }
}

function toFile(url: string): string | undefined {
  return /^sqlite:(.*)$/s.exec(url)?.[1];
}
