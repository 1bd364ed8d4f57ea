// petstore views: prints the statements that create a view of each collection, for people who use SQL.
import { readDocument } from "../../pets/index.ts";
import { readResources } from "../../resources/index.ts";
import { createViewStatement } from "../../store/index.ts";
import { type Io, print } from "../../terminal/index.ts";
import { readDatabaseUrl } from "../stores.ts";

/** Prints the statements in the SQL of the database of DATABASE_URL. Does not connect to it. */
export async function printViews(io: Io): Promise<void> {
  const url = readDatabaseUrl(io);
  const resources = readResources(await readDocument());
  const statements = resources.map(({ collection, columns }) => createViewStatement(url, collection, columns));
  await print(io, (await Promise.all(statements)).join("\n\n"));
}
