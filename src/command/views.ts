// views: prints the statements that create a view of each collection, for people who use SQL.
import { readResources } from "../resources/index.ts";
import { createViewStatement, readSchema } from "../store/index.ts";
import { type Io, print } from "../terminal/index.ts";
import { requireDatabaseUrl } from "./data/database-url.ts";
import type { StoreTarget } from "./stores.ts";

/** Prints the statements in the SQL of a database. */
export async function printViews(io: Io, { url, urlSetting, service, readDocument }: StoreTarget): Promise<void> {
  requireDatabaseUrl(urlSetting, url);
  const resources = readResources(await readDocument());
  const schema = await readSchema(url, { service, collections: resources.map(({ collection }) => collection) });
  const statements = resources.map(({ collection, columns }) => createViewStatement(schema, collection, columns));
  await print(io, (await Promise.all(statements)).join("\n\n"));
}
