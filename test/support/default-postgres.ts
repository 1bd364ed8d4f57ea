// Makes PostgreSQL the default store of the tests: `node --import ./test/support/default-postgres.ts FILE`.
import { openStore } from "../../src/store/open.ts";
import { longTimeouts } from "./conformance.ts";
import { newDatabase } from "./databases.ts";
import { useStores } from "./service.ts";

useStores(async (t) => openStore(await newDatabase(t), { timeouts: longTimeouts }));
