// The tests of these folders in one process.
import { importTests } from "../support/import-tests.ts";

await importTests("document");
