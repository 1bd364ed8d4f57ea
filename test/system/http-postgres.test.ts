// Runs the tests of the HTTP service again, over PostgreSQL. Their default store is SQLite in memory.
import { globSync } from "node:fs";
import t from "tap";
import { emptyDatabase } from "../support/databases.ts";
import { root } from "../support/files.ts";

const names = [
  "operate/keys/authentication",
  "server/catalog",
  "http/connection/client-errors",
  "http/failure/error-handler",
  "pets/*",
  "openapi/examples",
  "openapi/operation/deprecation",
  "openapi/routing/json-body",
  "openapi/schema/int64",
  "{interface,model}",
];
const find = (name: string) => globSync(`test/${name}.test.ts`, { cwd: root }).sort();
const files = names.flatMap(find);

t.setTimeout(600_000); // milliseconds, for all files together
for (const name of names) t.ok(find(name).length > 0, `there are tests of ${name}`);
const env = { ...process.env, TEST_DATABASE_URL: await emptyDatabase(t) };
for (const file of files) {
  const args = ["--import", "./test/support/default-postgres.ts", file];
  await t.spawn(process.execPath, args, { cwd: root, env, timeout: 240_000 }, file);
}
