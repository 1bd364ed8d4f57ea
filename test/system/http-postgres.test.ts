// Runs the tests of the service again, over PostgreSQL: each fast file that starts the service and
// opens no store of its own.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { root } from "../support/files.ts";

const startsService = /\/support\/(service|examples)\.ts"/;
const opensStore = /sqlite:|\/support\/databases\.ts"|\/store\/(open|sqlite|postgres)/;
const files = globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/system/**", "test/tooling/**"] })
  .filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return startsService.test(text) && !opensStore.test(text);
  })
  .sort();

t.setTimeout(1_200_000); // milliseconds, for all files together
t.ok(files.includes("test/interface.test.ts"));
const env = { ...process.env, TEST_DATABASE_URL: await emptyDatabase(t) };
for (const file of files) {
  const args = ["--import", "./test/support/default-postgres.ts", file];
  await t.spawn(process.execPath, args, { cwd: root, env, timeout: 240_000 }, file);
}
