// Databases for tests, on a PostgreSQL that the project brings, or on the one that TEST_DATABASE_URL names.
import { randomBytes } from "node:crypto";
import t, { type Test } from "tap";
import { query, startPostgres } from "../scripts/drive/postgres.ts";

let shared: Promise<string> | undefined;

async function startShared(): Promise<string> {
  if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL;
  const { url, end } = await startPostgres();
  t.teardown(end);
  return url("postgres");
}

/** An empty database, gone when the test ends, on a server that all tests of the file share. */
export async function newDatabase(test: Pick<Test, "teardown">): Promise<string> {
  shared ??= startShared();
  const server = await shared;
  const name = `petstore_test_${randomBytes(6).toString("hex")}`;
  await query(server, `CREATE DATABASE ${name}`);
  test.teardown(() => query(server, `DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}
