// Opens the store of a command, and closes it at the end.

import { requireDatabaseUrl } from "../command/index.ts";
import { readConfig } from "../config.ts";
import { type Collection, isInMemory, isMissingStore, openStore, type Store } from "../store/index.ts";
import type { Io } from "../terminal/index.ts";

/**
 * Runs `work` with the store of DATABASE_URL. By default, the store must exist: a mistyped DATABASE_URL must not create
 * another one. Rejects if the store is in memory, since it would end with the command.
 */
export async function withStore(
  io: Io,
  work: (store: Store) => Promise<void>,
  mode: "migrate" | "create" = "migrate",
): Promise<void> {
  const { DATABASE_URL: url, DATABASE_PREPARE: prepare } = readConfig(io.env);
  if (isInMemory(url)) throw new Error("DATABASE_URL is an in-memory database, which ends with this command.");
  const store = await openStore(url, { mode: "migrate", prepare }).catch(async (error) => {
    if (mode !== "create" || !isMissingStore(error)) throw error;
    return openStore(url, { prepare, collections: await readCollections() });
  });
  await work(store).finally(() => store.close()); // an open connection to PostgreSQL would keep the process alive
}

// A new store has the tables of the document. Loaded only then, because it takes 0.2 s.
async function readCollections(): Promise<readonly Collection[]> {
  const [{ readDocument }, { collectionsOf }] = [
    await import("../pets/index.ts"),
    await import("../resources/index.ts"),
  ];
  return collectionsOf(await readDocument());
}

/** Returns DATABASE_URL. Throws an Error if it is invalid or names a store in memory. */
export function readDatabaseUrl({ env }: Io): string {
  const { DATABASE_URL: url } = readConfig(env);
  requireDatabaseUrl("DATABASE_URL", url);
  return url;
}
