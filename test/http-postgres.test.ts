// The whole HTTP suite once more, over PostgreSQL.
import { openStore } from "../src/store/open.ts";
import { newDatabase } from "./support/databases.ts";
import { useStores } from "./support/service.ts";

useStores(async (t) => openStore(await newDatabase(t)));
await import("./interface.test.ts");
await import("./http.test.ts");
await import("./examples.test.ts");
await import("./model.test.ts");
