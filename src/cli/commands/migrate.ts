// petstore migrate: creates a database, or migrates it to this version.
import { isMissingStore, openStore } from "../../store/index.ts";
import { type Io, print } from "../io.ts";
import { type OutputOptions, toIndentedJson } from "../output.ts";
import { readDatabaseUrl } from "../stores.ts";

/** Creates the database of DATABASE_URL, or applies its pending migrations. Prints whether it has created it. */
export async function migrateStore(io: Io, { json }: OutputOptions): Promise<void> {
  const url = readDatabaseUrl(io);
  let created = false;
  const store = await openStore(url, { mode: "migrate" }).catch((error) => {
    if (!isMissingStore(error)) throw error;
    created = true;
    return openStore(url);
  });
  await store.close();
  const text = created ? "Created the database." : "The database is up to date.";
  await print(io, json ? toIndentedJson({ kind: store.kind, created }) : text);
}
