// petstore migrate: creates a store, or migrates it to this version.
import { readConfig } from "../../config.ts";
import { openStore } from "../../store/index.ts";
import type { Io } from "../io.ts";

/** Creates the store of DATABASE_URL, or migrates it to this version. */
export async function migrateStore({ env }: Io): Promise<void> {
  const store = await openStore(readConfig(env).DATABASE_URL);
  await store.close();
}
