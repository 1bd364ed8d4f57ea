// A real PostgreSQL for tests: one that the project brings, or the one that TEST_DATABASE_URL names.
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import pg from "pg";
import t, { type Test } from "tap";
import type { Kept, Order } from "./postgres-keeper.ts";

export interface Postgres {
  /** The address of a database of the server. */
  url(database: string): string;
  /** Starts it, stops it, or ends it as a crash does. */
  tell(order: Order): Promise<void>;
}

/** Starts a PostgreSQL, which ends with the test at the latest. */
export async function startPostgres(t: Pick<Test, "teardown">): Promise<Postgres> {
  // Of its own session, so that what ends all of the tests at once leaves it the time to tidy up.
  const keeper = fork(new URL("postgres-keeper.ts", import.meta.url), {
    detached: true,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
  });
  const exit = once(keeper, "exit");
  t.teardown(async () => {
    keeper.disconnect();
    await exit;
  });
  let port = 0;
  const tell: Postgres["tell"] = async (order) => {
    keeper.send(order);
    const [kept] = (await once(keeper, "message")) as [Kept];
    if (kept.error !== undefined) throw new Error(kept.error);
    port = kept.port;
  };
  await tell("start");
  return { url: (database) => `postgres://petstore:secret%20word@127.0.0.1:${port}/${database}`, tell };
}

let shared: Promise<string> | undefined;

/** An empty database, gone when the test ends, on a server that all tests of the file share. */
export async function newDatabase(test: Pick<Test, "teardown">): Promise<string> {
  shared ??= process.env.TEST_DATABASE_URL
    ? Promise.resolve(process.env.TEST_DATABASE_URL)
    : startPostgres(t).then(({ url }) => url("postgres"));
  const server = await shared;
  const name = `petstore_test_${randomBytes(6).toString("hex")}`;
  await query(server, `CREATE DATABASE ${name}`);
  test.teardown(() => query(server, `DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

/** Asks a database, on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
