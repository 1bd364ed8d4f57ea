// Makes PostgreSQL the default store of the tests: `node --import ./test/support/default-postgres.ts FILE`.

import { openStore } from "../../src/store/open.ts";
import { newDatabase } from "./databases.ts";
import { useStores } from "./service.ts";

const timeouts = { connect: 30_000, statement: 30_000, answer: 30_000 }; // milliseconds, for a busy machine
useStores(async (t) => openStore(await newDatabase(t), { timeouts }));
