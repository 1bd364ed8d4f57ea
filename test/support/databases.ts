// Databases for tests: on the server that TEST_DATABASE_URL names, or on one that this process starts.
// `node scripts/test.ts` starts one server for all test files and sets TEST_DATABASE_URL.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
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

let pool: Promise<pg.Pool> | undefined;

async function openPool(): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await findServer(), max: 1, allowExitOnIdle: true });
  return pool.on("error", () => {}); // the server ends before this process
}

/** Runs a statement on the server, over one connection for all of them, which does not keep this process running. */
async function command(text: string): Promise<unknown[]> {
  pool ??= openPool();
  return (await (await pool).query(text)).rows;
}

async function toUrl(database: string): Promise<string> {
  const url = new URL(await findServer());
  url.pathname = database;
  return url.href;
}

/** Creates an empty database and returns its URL. It is dropped when the test ends. */
export async function emptyDatabase(t: Pick<Test, "teardown">): Promise<string> {
  return createDatabase(t, "template1");
}

/** Creates a migrated store without rows in a new database, and returns its URL. It is dropped when the test ends. */
export async function newDatabase(t: Pick<Test, "teardown">): Promise<string> {
  templated ??= createTemplate();
  await templated;
  const url = await createDatabase(t, template);
  // A copy of the template has its secret, which signs cursors. Each store has one of its own.
  await query(url, "UPDATE petstore.secret SET value = $1", [randomBytes(32)]);
  return url;
}

const newName = () => `petstore_test_${randomBytes(6).toString("hex")}`;

async function createDatabase(t: Pick<Test, "teardown">, from: string): Promise<string> {
  const name = newName();
  // A copy of a template takes two thirds of the time of a migration, and FILE_COPY less than the default WAL_LOG.
  await command(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`);
  t.teardown(() => command(`DROP DATABASE ${name} WITH (FORCE)`));
  return toUrl(name);
}

let templated: Promise<void> | undefined;

// Several test files may begin at once. Only a complete template has the final name.
async function createTemplate(): Promise<void> {
  const exists = async () => (await command(`SELECT 1 FROM pg_database WHERE datname = '${template}'`)).length > 0;
  if (await exists()) return;
  const partial = newName();
  await command(`CREATE DATABASE ${partial}`);
  await (await openStore(await toUrl(partial))).close();
  await command(`ALTER DATABASE ${partial} RENAME TO ${template}`).catch(async (error) => {
    await command(`DROP DATABASE ${partial}`);
    if (!(await exists())) throw error;
  });
}

/** For each kind of store, creates an empty store and returns its URL. It exists until the test ends. */
export const stores: Record<"sqlite" | "postgres", (t: Test) => Promise<string>> = {
  sqlite: async (t) => `sqlite:${join(folder(t), "petstore.db")}`,
  postgres: newDatabase,
};
