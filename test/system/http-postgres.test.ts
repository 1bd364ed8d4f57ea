// Runs the tests of the HTTP service again, over PostgreSQL. Their default store is SQLite in memory.
import { globSync } from "node:fs";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { root } from "../support/files.ts";

const names = "auth,body,deprecation,docs,examples,failures,handlers,interface,malformed,model,numbers";
const files = globSync(`test/{{${names}},handlers/*}.test.ts`, { cwd: root }).sort();

t.setTimeout(600_000); // milliseconds, for all files together
t.ok(files.length >= names.split(",").length, `${files}`);
const env = { ...process.env, TEST_DATABASE_URL: await emptyDatabase(t) };
for (const file of files) {
  const args = ["--import", "./test/support/default-postgres.ts", file];
  await t.spawn(process.execPath, args, { cwd: root, env, timeout: 240_000 }, file);
}
