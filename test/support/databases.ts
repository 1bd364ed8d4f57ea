// Databases for tests: on the server that TEST_DATABASE_URL names, or on one that this process starts.
// `node scripts/test.ts` starts one server for all test files and sets TEST_DATABASE_URL.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openStore } from "../../src/store/open.ts";
import { folder } from "./files.ts";
import { query, startPostgres } from "./postgres.ts";

const template = "petstore_test_template";
let server: Promise<string> | undefined;

/** Returns the URL of the server's own database, on which databases are created. Starts a server if there is none. */
async function findServer(): Promise<string> {
  server ??= (async () => {
    if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL;
    const { url, end } = await startPostgres();
    t.teardown(end);
    return url("postgres");
  })();
  return server;
}

function toUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = database;
  return url.href;
}

/** Creates an empty database and returns its URL. It is dropped when the test ends. */
export async function emptyDatabase(t: Pick<Test, "teardown">): Promise<string> {
  return createDatabase(t, await findServer(), "template1");
}

/** Creates a migrated store without rows in a new database, and returns its URL. It is dropped when the test ends. */
export async function newDatabase(t: Pick<Test, "teardown">): Promise<string> {
  const server = await findServer();
  await createTemplate(server);
  return createDatabase(t, server, template);
}

async function createDatabase(t: Pick<Test, "teardown">, server: string, from: string): Promise<string> {
  const name = `petstore_test_${randomBytes(6).toString("hex")}`;
  // Copying files is faster than writing the copy to the write-ahead log, which is the default.
  await query(server, `CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`);
  t.teardown(() => query(server, `DROP DATABASE ${name} WITH (FORCE)`));
  return toUrl(server, name);
}

let templated: Promise<void> | undefined;

// Several test files may begin at once. Only a complete template has the final name.
function createTemplate(server: string): Promise<void> {
  templated ??= (async () => {
    const exists = async () => (await query(server, "SELECT 1 FROM pg_database WHERE datname = $1", [template])).length;
    if (await exists()) return;
    const partial = `petstore_test_${randomBytes(6).toString("hex")}`;
    await query(server, `CREATE DATABASE ${partial}`);
    await (await openStore(toUrl(server, partial))).close();
    await query(server, `ALTER DATABASE ${partial} RENAME TO ${template}`).catch(async (error) => {
      await query(server, `DROP DATABASE ${partial}`);
      if (!(await exists())) throw error;
    });
  })();
  return templated;
}

/** For each kind of store, creates an empty store and returns its URL. It exists until the test ends. */
export const stores: Record<"sqlite" | "postgres", (t: Test) => Promise<string>> = {
  sqlite: async (t) => `sqlite:${join(folder(t), "petstore.db")}`,
  postgres: newDatabase,
};
