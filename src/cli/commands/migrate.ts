// petstore migrate: creates a store, or migrates it to this version.
import { readConfig } from "../../config.ts";
import { openStore, storeExists } from "../../store/index.ts";
import { type Io, print } from "../io.ts";
import { type OutputOptions, toIndentedJson } from "../output.ts";

/** Creates the store of DATABASE_URL, or migrates it to this version. Prints which of the two it has done. */
export async function migrateStore(io: Io, { json }: OutputOptions): Promise<void> {
  const { DATABASE_URL } = readConfig(io.env);
  const created = !(await storeExists(DATABASE_URL));
  const store = await openStore(DATABASE_URL);
  await store.close();
  const text = created ? "Created the database." : "The database is up to date.";
  await print(io, json ? toIndentedJson({ kind: store.kind, created }) : text);
}
