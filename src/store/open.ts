// The one place that knows which stores there are.

import type { Tables } from "./bulk.ts";
import type { OpenMode, Store, StoreTimeouts } from "./port.ts";
import { openSqliteTables } from "./sqlite/bulk.ts";
import { openSqlite } from "./sqlite/store.ts";
/** How to open a store. */
export interface OpenOptions {
  readonly access?: OpenMode;
  /** To PostgreSQL, the most connections at once. */
  readonly connections?: number;
  readonly timeouts?: Partial<StoreTimeouts>;
}

/** How to open tables. */
export interface OpenTablesOptions {
  /** Milliseconds for which to retry LOCK TABLE (PostgreSQL only). */
  readonly lockTimeout?: number;
}

// `connect` and `answer` together are less than 2 s. PostgreSQL cancels a statement before the store stops waiting for
// it, so that no statements pile up whose callers are gone.
const defaults: StoreTimeouts = { lock: 5_000, connect: 800, statement: 900, answer: 1_000, idle: 10_000 };

/**
 * Opens the store that DATABASE_URL names: `sqlite:PATH`, `sqlite::memory:` or `postgres://…`.
 * Rejects with an Error that says what is wrong.
 */
export async function openStore(
  url: string,
  { access = "make", connections = 10, timeouts = {} }: OpenOptions = {},
): Promise<Store> {
  const file = toFile(url);
  const limits = { ...defaults, ...timeouts };
  if (file !== undefined) return openSqlite(file, access, limits);
  const { openPostgres } = await import("./postgres/store.ts"); // its driver only where it is of use
  return openPostgres(url, access, connections, limits);
}

/** Opens the tables of a store, to read or fill them. Rejects as `openStore` does. */
export async function openTables(
  url: string,
  access: OpenMode,
  { lockTimeout = 5_000 }: OpenTablesOptions = {},
): Promise<Tables> {
  const file = toFile(url);
  if (file !== undefined) return openSqliteTables(file, access);
  const { openPostgresTables } = await import("./postgres/bulk.ts");
  return openPostgresTables(url, access, lockTimeout);
}

/** Whether there is a store of this version; not, where none was made yet. Rejects as `openStore` does for any other. */
export async function storeExists(url: string): Promise<boolean> {
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
