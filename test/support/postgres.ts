// Starts a PostgreSQL server from an npm package for tests and benchmarks, and sends queries to it.
import { fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import type { Test } from "tap";
import type { Command, Reply, Role } from "./postgres-process.ts";
import { until } from "./wait.ts";

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

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // the query rejects too
  await client.connect();
  return client;
}

/** Opens a connection to a database, and closes it when the test ends. */
export async function connectTo(t: Pick<Test, "teardown">, url: string): Promise<pg.Client> {
  const client = await open(url);
  t.teardown(() => client.end());
  return client;
}

/** Terminates the connections of the services to a database. */
export const disconnect = (url: string) =>
  query(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore' AND datname = current_database()",
  );

/** Waits until `count` connections to the database wait for a lock, in a statement with this text. */
export const untilLocked = (url: string, count: number, text = "") =>
  until(async () => {
    const waiting = `wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%${text}%'`;
    return (await query(url, `SELECT 1 FROM pg_stat_activity WHERE ${waiting}`)).length >= count;
  }, `fewer than ${count} connections wait for a lock ${text}`);

/** Creates a role without rights, and returns its name, and the URL of the database for it. Drops it when the test ends. */
export async function createRole(t: Pick<Test, "teardown">, url: string): Promise<{ role: string; url: string }> {
  const role = `petstore_test_role_${Math.random().toString(36).slice(2)}`;
  await query(url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  t.teardown(() => query(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`));
  return { role, url: Object.assign(new URL(url), { username: role, password: "x" }).href };
}

/** Runs a statement in a database, over a separate connection. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = await open(url);
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
