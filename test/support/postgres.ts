// Starts a PostgreSQL server from an npm package for tests and benchmarks, and sends queries to it.
import { fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import type { Test } from "tap";
import type { Command, Reply, Role } from "./postgres-process.ts";

/** A running PostgreSQL server. */
export interface Postgres {
  /** Returns the URL of a database of the server. */
  url(database: string): string;
  /** The port, and the folder of the data. */
  readonly port: number;
  readonly data: string;
  /** Starts the server, stops it, or simulates a crash. Rejects if the command fails. Await it before the next call. */
  sendCommand(command: Command): Promise<void>;
  /** Ends the server, and removes its files. */
  end(): Promise<void>;
}

/**
 * Starts a PostgreSQL server that ends with this process. Only a `durable` server survives a power failure. `role` is
 * undefined for a server without replication.
 */
export async function startPostgres(durable = false, role?: Role): Promise<Postgres> {
  // A separate session: Ctrl-C ends the tests, but not the supervisor before it has cleaned up.
  const supervisor = fork(new URL("postgres-process.ts", import.meta.url), {
    detached: true,
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      DURABLE: String(durable),
      ...(role && { REPLICATION: JSON.stringify(role) }),
    },
  });
  const exit = once(supervisor, "exit");
  const failure = exit.then(() => Promise.reject(new Error("the supervisor of PostgreSQL has exited")));
  failure.catch(() => {});
  let [port, data] = [0, ""];
  const sendCommand: Postgres["sendCommand"] = async (command) => {
    supervisor.send(command);
    const [reply] = (await Promise.race([once(supervisor, "message"), failure])) as [Reply];
    if (reply.error !== undefined) throw new Error(reply.error);
    ({ port, data } = reply);
  };
  const end = async () => {
    supervisor.disconnect();
    await exit;
  };
  await sendCommand("start");
  const url = (database: string) => `postgres://petstore:secret%20word@127.0.0.1:${port}/${database}`;
  return { url, port, data, sendCommand, end };
}

/** Starts a primary and a standby with synchronous replication: the primary commits after the standby has the data. */
export async function startReplicatedPostgres(
  t: Pick<Test, "teardown">,
): Promise<{ primary: Postgres; standby: Postgres }> {
  const primary = await startPostgres(false, { role: "primary" });
  t.teardown(primary.end);
  await primary.sendCommand("stop");
  const standby = await startPostgres(false, { role: "standby", port: primary.port, data: primary.data });
  t.teardown(standby.end);
  await primary.sendCommand("start");
  return { primary, standby };
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
