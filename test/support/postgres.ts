// Starts a PostgreSQL server from an npm package for tests and benchmarks, and sends queries to it.
import { fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import type { Command, Reply } from "./postgres-process.ts";

/** A running PostgreSQL server. */
export interface Postgres {
  /** Returns the URL of a database of the server. */
  url(database: string): string;
  /** Starts the server, stops it, or simulates a crash. Rejects if the command fails. Await it before the next call. */
  sendCommand(command: Command): Promise<void>;
  /** Ends the server, and removes its files. */
  end(): Promise<void>;
}

/** Starts a PostgreSQL server that ends with this process. Only a `durable` server survives a power failure. */
export async function startPostgres(durable = false): Promise<Postgres> {
  // A separate session: Ctrl-C ends the tests, but not the supervisor before it has cleaned up.
  const supervisor = fork(new URL("postgres-process.ts", import.meta.url), {
    detached: true,
    execArgv: [],
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, DURABLE: String(durable) },
  });
  const exit = once(supervisor, "exit");
  const failure = exit.then(() => Promise.reject(new Error("the supervisor of PostgreSQL has exited")));
  failure.catch(() => {});
  let port = 0;
  const sendCommand: Postgres["sendCommand"] = async (command) => {
    supervisor.send(command);
    const [reply] = (await Promise.race([once(supervisor, "message"), failure])) as [Reply];
    if (reply.error !== undefined) throw new Error(reply.error);
    port = reply.port;
  };
  const end = async () => {
    supervisor.disconnect();
    await exit;
  };
  await sendCommand("start");
  return { url: (database) => `postgres://petstore:secret%20word@127.0.0.1:${port}/${database}`, sendCommand, end };
}

/** Runs a statement in a database, over a separate connection. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // the query rejects too
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
