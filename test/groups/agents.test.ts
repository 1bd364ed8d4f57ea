// The tests of this group in one process.
import { importTests } from "../support/import-tests.ts";

await importTests("agents");
