// Runs each fast test file that starts the service again, with PostgreSQL as the default store. A test
// that needs SQLite passes its store to `start`.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { root } from "../support/files.ts";

const startsService = /import \{[^}]*\bstart\b[^}]*\} from "[./]*\/support\/service\.ts"/;
const files = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/system/**", "test/tooling/**"] })
  .filter((file) => startsService.test(readFileSync(join(root, file), "utf8")))
  .sort();

t.setTimeout(1_200_000); // milliseconds, for all files together
t.ok(files.includes("test/interface.test.ts"));
const env = { ...process.env, TEST_DATABASE_URL: await emptyDatabase(t) };
for (const file of files) {
  const args = ["--import", "./test/support/default-postgres.ts", file];
  await t.spawn(process.execPath, args, { cwd: root, env, timeout: 240_000 }, file);
}
