// migrate: creates a database, or migrates it to this version.
import { collectionsOf, prepareRecords, type ResourceStoreOptions } from "../resources/index.ts";
import { isMissingStore, openDatabase, openTables } from "../store/index.ts";
import {
  CommandFailure,
  type Io,
  type OutputOptions,
  print,
  startProgress,
  toIndentedJson,
} from "../terminal/index.ts";
import { requireDatabaseUrl } from "./data/database-url.ts";
import type { StoreTarget } from "./stores.ts";

/**
 * Creates a database, or applies its pending migrations, and makes sure that its records match the document. Prints whether it has
 * created it, and the tables and indexes that the document does not need.
 */
export async function migrateStore(
  io: Io,
  target: StoreTarget,
  { upgrades = {}, advice = "" }: Pick<ResourceStoreOptions, "upgrades" | "advice">,
  { json }: OutputOptions,
): Promise<void> {
  const { url, service } = target;
  requireDatabaseUrl(target.urlSetting, url);
  let created = false;
  const document = await target.readDocument();
  const collections = collectionsOf(document);
  const store = await openDatabase(url, { service, mode: "migrate", collections }).catch((error) => {
    if (!isMissingStore(error)) throw error;
    created = true;
    return openDatabase(url, { service, collections });
  });
  await store.close();
  const bar = startProgress(io.stderr);
  await prepareRecords(url, document, {
    service,
    apply: true,
    upgrades,
    advice,
    progress: (...step) => bar.show(...step, "records"),
  })
    .finally(() => bar.clear())
    .catch((error: Error) => {
      throw new CommandFailure(error.message.split("\n"));
    });
  const tables = await openTables(url, "readonly", { service, collections });
  const unneeded = await tables.read((source) => source.unneeded()).finally(() => tables.close());
  const text = created ? "Created the database." : "The database is up to date.";
  const rest = unneeded.length > 0 ? `\nThe document does not need: ${unneeded.join(", ")}.` : "";
  await print(io, json ? toIndentedJson({ kind: store.kind, created, unneeded }) : text + rest);
}
