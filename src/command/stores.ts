// The store that a command uses: it is opened when the command runs, and closed at its end.
import type { Document } from "../openapi/index.ts";
import { isMissingStore, openDatabase, type Store } from "../store/index.ts";
import { requireDatabaseUrl } from "./data/database-url.ts";

/** The store of a command. */
export interface StoreTarget {
  readonly program: string;
  readonly url: string;
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
  { url, urlSetting, prepare, readDocument }: StoreTarget,
  work: (store: Store) => Promise<void>,
  mode: "migrate" | "create" = "migrate",
): Promise<void> {
  requireDatabaseUrl(urlSetting, url);
  const store = await openDatabase(url, { mode: "migrate", prepare }).catch(async (error) => {
    if (mode !== "create" || !isMissingStore(error)) throw error;
    const { collectionsOf } = await import("../resources/index.ts"); // a new store has the tables of the document
    return openDatabase(url, { prepare, collections: collectionsOf(await readDocument()) });
  });
  await work(store).finally(() => store.close()); // an open connection to PostgreSQL would keep the process alive
}
