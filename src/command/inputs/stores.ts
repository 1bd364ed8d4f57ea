// The store that a command uses: it is opened when the command runs, and closed at its end.
import { parseDatabaseUrl } from "../../lib/index.ts";
import type { Document } from "../../openapi/index.ts";
import { isInMemory, isMissingStore, type OpenTablesOptions, openDatabase, type Store } from "../../store/index.ts";

/** The store of a command. */
export interface StoreTarget {
  readonly program: string;
  readonly url: string;
  /** The name of the service. */
  readonly service: string;
  /** What sets the URL, as messages name it. */
  readonly urlSetting: string;
  /** Whether the URL is that of a setting, or of the place of the document. */
  readonly isUrlSet: boolean;
  /** Whether statements are prepared (PostgreSQL only). */
  readonly prepare: boolean;
  /** Reads the document, which takes 0.2 s. */
  readonly readDocument: () => Promise<Document>;
}

/**
 * Runs `work` with a store. By default, the store must exist: a mistyped DATABASE_URL must not create another one. Rejects if the store
 * is in memory, since it would end with the command.
 */
export async function withStore(
  target: StoreTarget,
  work: (store: Store) => Promise<void>,
  mode: "migrate" | "create" = "migrate",
): Promise<void> {
  const { url, urlSetting, prepare } = target;
  requireDatabaseUrl(urlSetting, url);
  const store = await findStore(target, (options) =>
    openDatabase(url, { ...options, mode: options.collections ? mode : "migrate", prepare }),
  );
  await work(store).finally(() => store.close()); // an open connection to PostgreSQL would keep the process alive
}

/**
 * Returns what `open` returns. If it rejects because there is no store, calls it again with the collections of the document: they find one
 * in the former schema of PostgreSQL, and a new store has their tables.
 */
export async function findStore<T>(
  { service, readDocument }: StoreTarget,
  open: (options: OpenTablesOptions) => Promise<T>,
): Promise<T> {
  return open({ service }).catch(async (error) => {
    if (!isMissingStore(error)) throw error;
    const { collectionsOf } = await import("../../resources/index.ts");
    return open({ service, collections: collectionsOf(await readDocument()) });
  });
}

/**
 * Throws an Error if `url` names no store, or one in memory. `name` names the source of `url` in the message.
 *
 * This is not an argument parser of commander, because its messages would show the value with the password.
 */
export function requireDatabaseUrl(name: string, url: string): void {
  if (!parseDatabaseUrl(url) || isInMemory(url))
    throw new Error(`${name} must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.`);
}
