// Creates databases for tests: on the server of TEST_DATABASE_URL, or on that of all test files, which `node scripts/test.ts`
// starts when the first file connects to TEST_DATABASE_PORT, or else on one that this process starts.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import pg from "pg";
import t, { type Test } from "tap";
import { folder } from "./files.ts";
import { openPetStore } from "./pets.ts";
import { query, startPostgres } from "./postgres.ts";

const template = "petstore_test_template";
let server: Promise<string> | undefined;

/** Returns the URL of the server's default database. */
async function getServer(): Promise<string> {
  server ??= (async () => {
    const { TEST_DATABASE_URL, TEST_DATABASE_PORT } = process.env;
    if (TEST_DATABASE_URL) return TEST_DATABASE_URL;
    if (TEST_DATABASE_PORT) return readText(connect(Number(TEST_DATABASE_PORT), "127.0.0.1"));
    const { url, end } = await startPostgres();
    t.teardown(end);
    return url("postgres");
  })();
  return server;
}

let pool: Promise<pg.Pool> | undefined;

async function openPool(): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await getServer(), max: 1, allowExitOnIdle: true });
  return pool.on("error", () => {}); // the server can end before this process
}

/** Runs a statement on the server. All statements share one connection, which does not keep this process running. */
async function runOnServer(text: string): Promise<unknown[]> {
  pool ??= openPool();
  return (await (await pool).query(text)).rows;
}

async function toUrl(database: string): Promise<string> {
  const url = new URL(await getServer());
  url.pathname = database;
  return url.href;
}

/** Creates an empty database and returns its URL. Drops it when the test ends. */
export async function emptyDatabase(t: Pick<Test, "teardown">): Promise<string> {
  return createDatabase(t, "template1");
}

/** Creates a migrated store without rows in a new database, and returns its URL. Drops it when the test ends. */
export async function newDatabase(t: Pick<Test, "teardown">): Promise<string> {
  templateReady ??= createTemplate();
  await templateReady;
  const url = await createDatabase(t, template);
  // A copy of the template has the same secret for signing cursors. Each store needs a different one.
  await query(url, "UPDATE petstore.secret SET value = $1", [randomBytes(32)]);
  return url;
}

const newName = () => `petstore_test_${randomBytes(6).toString("hex")}`;

async function createDatabase(t: Pick<Test, "teardown">, from: string): Promise<string> {
  const name = newName();
  // Copying a template takes two thirds of the time of a migration. FILE_COPY is faster than the default WAL_LOG.
  await runOnServer(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`);
  t.teardown(() => runOnServer(`DROP DATABASE ${name} WITH (FORCE)`));
  return toUrl(name);
}

let templateReady: Promise<void> | undefined;

// Several test files may create the template concurrently. Only a complete template gets the final name.
async function createTemplate(): Promise<void> {
  const exists = async () => (await runOnServer(`SELECT 1 FROM pg_database WHERE datname = '${template}'`)).length > 0;
  if (await exists()) return;
  const partial = newName();
  await runOnServer(`CREATE DATABASE ${partial}`);
  await (await openPetStore(await toUrl(partial))).close();
  await runOnServer(`ALTER DATABASE ${partial} RENAME TO ${template}`).catch(async (error) => {
    await runOnServer(`DROP DATABASE ${partial}`);
    if (!(await exists())) throw error;
  });
}

/** Creates an empty store of a kind and returns its URL. The store exists until the test ends. */
export const stores: Record<"sqlite" | "postgres", (t: Test) => Promise<string>> = {
  sqlite: async (t) => `sqlite:${join(folder(t), "petstore.db")}`,
  postgres: newDatabase,
};

/** Creates a store that has no tables for the resources of the document, as one of another document. Returns its URL. */
export async function storeWithoutTables(t: Test, kind: keyof typeof stores): Promise<string> {
  const url = kind === "sqlite" ? await stores.sqlite(t) : await emptyDatabase(t);
  await (await openPetStore(url, { collections: [] })).close();
  return url;
}
