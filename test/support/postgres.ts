// A real PostgreSQL server from a package, for tests and measurements.
import { fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import type { Order, Reply } from "./postgres-process.ts";

export interface Postgres {
  /** Returns the URL of a database of the server. */
  url(database: string): string;
  /** Starts the server, stops it, or ends it as a crash does. */
  tell(order: Order): Promise<void>;
  /** Ends the server, and removes its files. */
  end(): Promise<void>;
}

/** Starts a PostgreSQL server, which survives a loss of power only if `durable`. It ends with this process at the latest. */
export async function startPostgres(durable = false): Promise<Postgres> {
  // In a session of its own: Ctrl-C ends all tests at once, and leaves the keeper time to clean up.
  const keeper = fork(new URL("postgres-process.ts", import.meta.url), {
    detached: true,
    execArgv: [],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, DURABLE: String(durable) },
  });
  const exit = once(keeper, "exit");
  const failure = exit.then(() => Promise.reject(new Error("the keeper of PostgreSQL has ended")));
  failure.catch(() => {});
  let port = 0;
  const tell: Postgres["tell"] = async (order) => {
    keeper.send(order);
    const [reply] = (await Promise.race([once(keeper, "message"), failure])) as [Reply];
    if (reply.error !== undefined) throw new Error(reply.error);
    port = reply.port;
  };
  const end = async () => {
    keeper.disconnect();
    await exit;
  };
  await tell("start");
  return { url: (database) => `postgres://petstore:secret%20word@127.0.0.1:${port}/${database}`, tell, end };
}

/** Runs a statement in a database, over a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // the query rejects as well
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
