// A real PostgreSQL from a package, for tests and measurements.
import { fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import type { Kept, Order } from "./postgres-process.ts";

export interface Postgres {
  /** The address of a database of the server. */
  url(database: string): string;
  /** Starts it, stops it, or ends it as a crash does. */
  tell(order: Order): Promise<void>;
  /** Ends it, and removes all that it kept. */
  end(): Promise<void>;
}

/** Starts a PostgreSQL, which keeps what it answered through a loss of power only if `durable`. It ends with this process at the latest. */
export async function startPostgres(durable = false): Promise<Postgres> {
  // Of its own session, so that what ends all of the tests at once leaves it the time to tidy up.
  const keeper = fork(new URL("postgres-process.ts", import.meta.url), {
    detached: true,
    execArgv: [],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, FSYNC: durable ? "on" : "off" },
  });
  const exit = once(keeper, "exit");
  let port = 0;
  const tell: Postgres["tell"] = async (order) => {
    keeper.send(order);
    const [kept] = (await once(keeper, "message")) as [Kept];
    if (kept.error !== undefined) throw new Error(kept.error);
    port = kept.port;
  };
  const end = async () => {
    keeper.disconnect();
    await exit;
  };
  await tell("start");
  return { url: (database) => `postgres://petstore:secret%20word@127.0.0.1:${port}/${database}`, tell, end };
}

/** Asks a database, on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // a connection that breaks: who asked is told
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
