// Creates databases for tests, on the server of TEST_DATABASE_URL or on one that this process starts.
// `node scripts/test.ts` starts one server for all test files and sets TEST_DATABASE_URL.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import t, { type Test } from "tap";
import { openStore } from "../../src/store/open.ts";
import * as postgresMigrations from "../../src/store/postgres/postgres-migrations.ts";
import * as sqliteMigrations from "../../src/store/sqlite/sqlite-migrations.ts";
import { folder } from "./files.ts";
import { query, startPostgres } from "./postgres.ts";

const template = "petstore_test_template";
let server: Promise<string> | undefined;

/** Returns the URL of the server's default database. Starts a server if TEST_DATABASE_URL is not set. */
async function getServer(): Promise<string> {
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
  await (await openStore(await toUrl(partial))).close();
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

/** The version of the schema of this release, by the kind of store. */
export const latestVersions: Readonly<Record<keyof typeof stores, number>> = {
  sqlite: sqliteMigrations.latestVersion,
  postgres: postgresMigrations.latestVersion,
};

/** Creates a store of an earlier version, without rows, and returns its URL. The store exists until the test ends. */
export const oldStores: Record<keyof typeof stores, (t: Test, version: number) => Promise<string>> = {
  async sqlite(t, version) {
    const url = await stores.sqlite(t);
    const db = new DatabaseSync(url.slice("sqlite:".length));
    sqliteMigrations.migrate(db, version);
    db.close();
    return url;
  },
  async postgres(t, version) {
    const url = await emptyDatabase(t);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await postgresMigrations.migrate(client, version).finally(() => client.end());
    return url;
  },
};
