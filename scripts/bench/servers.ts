// Prepares databases, starts servers on one core, and measures them under load from another core.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { generateKey } from "../../src/auth/api-keys.ts";
import { copy } from "../../src/data/copy.ts";
import { openStore, openTables } from "../../src/store/open.ts";
import { freePort } from "../../test/support/port.ts";
import { query, startPostgres } from "../../test/support/postgres.ts";
import { type ContenderId, contenders, type Databases } from "./contenders.ts";
import {
  type LoadOptions,
  type LoadRequest,
  type LoadResult,
  pets,
  RequestFactory,
  type Workload,
} from "./workloads.ts";

const serverCore = "0";
const clientCore = "1";
const ticksPerSecond = 100; // USER_HZ, the unit of /proc/PID/stat
const startTimeout = 30_000; // milliseconds

/** Installs the packages of the contenders and of the load generator if they are out of date, and builds them. */
export function installPackages(): void {
  const installed = "scripts/bench/node_modules/.package-lock.json";
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync("scripts/bench/package-lock.json").mtimeMs)
    npm("ci", "--no-audit", "--no-fund");
  npm("run", "build");
}

function npm(...args: string[]): void {
  const { status } = spawnSync("npm", args, { cwd: "scripts/bench", stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed in scripts/bench.`);
}

/** Starts a program on the core of the clients. Its messages arrive over IPC. */
export function startClient(program: string): ChildProcess {
  return spawn("taskset", ["-c", clientCore, process.execPath, program], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

/** Starts processes that never stop computing on the core of the servers. Returns a function that ends them. */
export function startBusyLoops(count: number): () => void {
  const loops = Array.from({ length: count }, () =>
    spawn("taskset", ["-c", serverCore, process.execPath, "-e", "for (;;);"], { stdio: "ignore" }),
  );
  for (const loop of loops) children.add(loop);
  return () => {
    for (const loop of loops) loop.kill("SIGKILL");
  };
}

/**
 * Creates a SQLite file for each contender, and a PostgreSQL server if needed. All have the same pets and API key.
 */
export async function prepareDatabases(folder: string, ids: readonly ContenderId[]) {
  const { key, hash } = generateKey();
  const template = join(folder, "pets.db");
  const store = await openStore(`sqlite:${template}`);
  await store.keys.create("bench", hash);
  const factory = new RequestFactory(key);
  await store.close();
  const db = new DatabaseSync(template);
  db.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${pets})
     INSERT INTO pets (name, category_id, status)
     SELECT 'Rex ' || i, i, CASE i % 4 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' WHEN 2 THEN 'pending' END FROM n`,
  );
  db.close();
  const usesPostgres = ids.includes("postgres") || ids.includes("fastifyPostgres");
  const postgres = usesPostgres ? await startPostgres(true) : undefined;
  if (postgres) {
    const from = await openTables(`sqlite:${template}`, "migrate");
    const to = await openTables(postgres.url("postgres"), "create");
    await copy(from, to, () => {});
    await from.close();
    await to.close();
    await query(postgres.url("postgres"), "VACUUM ANALYZE petstore.pets");
  }
  const databasesOf = (id: ContenderId): Databases => {
    const file = join(folder, `${id}.db`);
    copyFileSync(template, file);
    return { file, postgres: postgres?.url("postgres") ?? "" };
  };
  return { key, factory, databasesOf, end: async () => postgres?.end() };
}

/** A running contender. */
export interface Server {
  readonly id: ContenderId;
  readonly child: ChildProcess;
  readonly origin: string;
  /** Milliseconds from each start to its first response. */
  readonly startTimes: readonly number[];
}

// Killed when this process exits, for whatever reason.
const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/**
 * Starts a contender `starts` times with `flags` of Node, after a first start that fills the compile cache. Returns the
 * last server.
 */
export async function startServer(
  id: ContenderId,
  databases: Databases,
  key: string,
  { flags = [], starts = 1 }: { readonly flags?: readonly string[]; readonly starts?: number } = {},
): Promise<Server> {
  let server = await startOnce(id, databases, key, flags);
  const startTimes: number[] = [];
  while (startTimes.length < starts) {
    const exit = once(server.child, "exit");
    server.child.kill("SIGKILL");
    await exit;
    server = await startOnce(id, databases, key, flags);
    startTimes.push(server.startTime);
  }
  await pause(1_000);
  return { id, child: server.child, origin: server.origin, startTimes };
}

async function startOnce(
  id: ContenderId,
  databases: Databases,
  key: string,
  flags: readonly string[],
): Promise<{ child: ChildProcess; origin: string; startTime: number }> {
  const { name, program, environment } = contenders[id];
  const port = String(await freePort());
  const start = performance.now();
  const child = spawn("taskset", ["-c", serverCore, process.execPath, ...flags, ...program], {
    env: { PATH: process.env.PATH, PORT: port, ...environment(databases) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.add(child);
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr = `${stderr}${chunk}`.slice(-2_000);
  });
  const exit = once(child, "exit").then(() => {
    throw new Error(`${name} exited: ${stderr}`);
  });
  exit.catch(() => {});
  const origin = `http://127.0.0.1:${port}`;
  const waitUntilReady = async () => {
    let status = 0;
    for (; status !== 200 && performance.now() - start < startTimeout; await pause(2))
      status = await fetch(`${origin}/v1/pets/1`, { headers: { authorization: `Bearer ${key}` } }).then(
        (response) => response.text().then(() => response.status),
        () => 0,
      );
    if (status !== 200) throw new Error(`${name} responds with ${status} instead of 200.`);
  };
  await Promise.race([waitUntilReady(), exit]);
  return { child, origin, startTime: performance.now() - start };
}

/** The result of a workload against a server. */
export interface WorkloadResult {
  /** CPU time of the server for each request, in microseconds. */
  readonly cpu: number;
  /** Requests per second. */
  readonly rate: number;
  /** Percentiles of the latency, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The CPU utilization of the load generator, from 0 to 1. */
  readonly utilization: number;
}

/** Runs a workload against a server. Rejects if there is an error or an unexpected status. */
export async function measureWorkload(
  { id, child, origin }: Server,
  { name, connections, expected }: Workload,
  requests: readonly LoadRequest[],
  loadGenerator: ChildProcess,
  seconds: number,
): Promise<WorkloadResult> {
  const cpuBefore = readCpuTime(child);
  loadGenerator.send({ url: origin, connections, requests, seconds } satisfies LoadOptions);
  const [{ statuses, errors, ...result }] = (await once(loadGenerator, "message")) as [LoadResult];
  const cpuTime = readCpuTime(child) - cpuBefore;
  const responses = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const unexpected = Object.entries(statuses).filter(([status]) => !expected.includes(Number(status)));
  const problems = unexpected.map(([status, count]) => `${count} of ${responses} responses have the status ${status}`);
  if (errors > 0) problems.push(`${errors} connection errors or timeouts`);
  if (responses === 0) problems.push("no response");
  if (problems.length > 0)
    throw new Error(`The run of "${name}" against "${contenders[id].name}" is invalid: ${problems.join(", ")}.`);
  const { p50, p99, utilization } = result;
  return { cpu: (cpuTime * 1e6) / responses, rate: responses / result.seconds, p50, p99, utilization };
}

// Returns seconds in user and kernel mode, of all threads: fields 14 and 15 of proc_pid_stat(5).
function readCpuTime({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the current or the peak resident memory of a server, in megabytes. */
export function readMemory({ child: { pid } }: Pick<Server, "child">, field: "VmRSS" | "VmHWM"): number {
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}
