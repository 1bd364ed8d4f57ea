// migrate and views: the tables of a database, and the views of them for people who use SQL.
import {
  collectionsOf,
  prepareRecords,
  type ResourceStoreOptions,
  readResources,
  responsesCollection,
} from "../resources/index.ts";
import { createViewStatement, isMissingStore, openDatabase, openTables, readSchema } from "../store/index.ts";
import {
  CommandFailure,
  type Io,
  type OutputOptions,
  print,
  startProgress,
  toIndentedJson,
} from "../terminal/index.ts";
import { requireDatabaseUrl, type StoreTarget } from "./inputs/stores.ts";

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
  const others = unneeded.filter((one) => one !== `table ${responsesCollection.name}`);
  const rest =
    others.length > 0
      ? `\nThe document does not need: ${others.join(", ")}. An application can need them (collections of openStore).`
      : "";
  await print(io, json ? toIndentedJson({ kind: store.kind, created, unneeded }) : text + rest);
}

/** Prints the statements that create a view of each collection, in the SQL of a database. */
export async function printViews(io: Io, { url, urlSetting, service, readDocument }: StoreTarget): Promise<void> {
  requireDatabaseUrl(urlSetting, url);
  const resources = readResources(await readDocument());
  const schema = await readSchema(url, { service, collections: resources.map(({ collection }) => collection) });
  const statements = resources.map(({ collection, columns }) => createViewStatement(schema, collection, columns));
  await print(io, (await Promise.all(statements)).join("\n\n"));
}
