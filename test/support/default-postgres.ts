// Makes PostgreSQL the default store of the tests: `node --import ./test/support/default-postgres.ts FILE`.
import { longTimeouts } from "./conformance.ts";
import { newDatabase } from "./databases.ts";
import { useStores } from "./service.ts";

useStores(newDatabase, longTimeouts);
