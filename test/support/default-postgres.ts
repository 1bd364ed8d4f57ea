// Makes PostgreSQL the default store of the tests: `node --import ./test/support/default-postgres.ts FILE`.
import { randomBytes } from "node:crypto";
import { openStore } from "../../src/store/open.ts";
import { newDatabase } from "./databases.ts";
import { query } from "./postgres.ts";
import { useStores } from "./service.ts";

useStores(async (t) => {
  const url = await newDatabase(t);
  // Databases that are cloned from the same template have the same secret, which signs cursors.
  await query(url, "UPDATE petstore.secret SET value = $1", [randomBytes(32)]);
  return openStore(url);
});
