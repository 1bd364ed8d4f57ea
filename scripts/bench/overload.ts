// Measures load shedding: `npm run bench -- overload`. `--write` writes the tables into docs/benchmark-results.md. Compares a
// saturated server with five times as many clients, and the Pet Store with Fastify by hand at an increasing number of
// clients. `npm run hostile` measures attacks.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Cleanup, createCleanup } from "../../test/support/cleanup.ts";
import { writeMeasurements } from "../measurements.ts";
import { contenders } from "./contenders.ts";
import type { OverloadOptions, OverloadResult } from "./overload-clients.ts";
import { formatTable, summarize } from "./report.ts";
import { prepareDatabases, type Server, startBusyLoops, startClient, startServer } from "./servers.ts";
import { type LoadRequest, workloads } from "./workloads.ts";

const saturation = 64; // connections: more of them do not increase the throughput
const overload = 5 * saturation;
const concurrency = [8, 16, 32, 64, 128, 256]; // connections
const rounds = 3; // of each number of connections

/** Runs the benchmark, and prints its tables. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { seconds: { type: "string", default: "10" }, write: { type: "boolean", default: false } },
  });
  const seconds = Number(values.seconds);
  const cleanup = createCleanup();
  const folder = mkdtempSync(join(tmpdir(), "petstore-overload-"));
  cleanup.teardown(() => rmSync(folder, { recursive: true }));
  try {
    const { key, factory, databasesOf, end } = await prepareDatabases(folder, ["sqlite", "postgres"]);
    cleanup.teardown(end);
    const start = async (id: "sqlite" | "postgres" | "fastify") => {
      const server = await startServer(id, databasesOf(id), key);
      cleanup.teardown(() => server.child.kill("SIGKILL"));
      return server;
    };
    const clients = new Clients(cleanup, seconds);
    const mix = workloads.mix.createRequests(factory).map(toText);
    const pages = workloads.list20.createRequests(factory).map(toText);
    const sqlite = await start("sqlite");
    const rows = [
      await measureOverload(clients, sqlite, "9 reads, 1 create", mix),
      await measureOverload(clients, sqlite, "random pages of 20 pets", pages),
      await measureOverload(clients, sqlite, "the same, with clients that obey Retry-After", pages, true),
    ];
    const fastify = await start("fastify");
    const shortRuns = new Clients(cleanup, seconds / rounds);
    const concurrencyRows = await measureConcurrency(shortRuns, sqlite, fastify, pages);
    const stopBusyLoops = startBusyLoops(2);
    cleanup.teardown(stopBusyLoops);
    concurrencyRows.push(...(await measureConcurrency(shortRuns, sqlite, fastify, pages, ", beside two busy loops")));
    stopBusyLoops();
    fastify.child.kill("SIGKILL");
    sqlite.child.kill("SIGKILL");
    rows.push(await measureOverload(clients, await start("postgres"), "9 reads, 1 create, PostgreSQL", mix));

    const text = [formatTable(overloadHead, rows), formatTable(concurrencyHead, concurrencyRows)].join("\n\n");
    console.log(text);
    if (values.write) {
      const conditions = "one core each for server and clients";
      writeMeasurements("docs/benchmark-results.md", "overload", text, conditions);
    }
  } finally {
    await cleanup.cleanUp();
  }
}

const median = (values: readonly number[]) => summarize(values).median;

function toText({ method, path, headers, body = "" }: LoadRequest): string {
  const fields = Object.entries({ host: "localhost", ...headers, "content-length": body.length });
  return [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`), "", body].join("\r\n");
}

/** The process with the clients. */
class Clients {
  readonly #child: ChildProcess;
  readonly #seconds: number;

  constructor({ teardown }: Cleanup, seconds: number) {
    this.#child = startClient("scripts/bench/overload-clients.ts");
    this.#seconds = seconds;
    teardown(() => this.#child.kill());
  }

  /** Sends requests to a server. */
  async send({ origin }: Server, options: Omit<OverloadOptions, "port" | "seconds">): Promise<OverloadResult> {
    const port = Number(new URL(origin).port);
    this.#child.send({ port, seconds: this.#seconds, ...options } satisfies OverloadOptions);
    const [result] = (await once(this.#child, "message")) as [OverloadResult];
    const unexpected = Object.keys(result.statuses).filter((status) => !["200", "201", "503"].includes(status));
    if (unexpected.length > 0) throw new Error(`The server responded with ${unexpected.join(", ")}.`);
    return result;
  }

  formatRate(count: number): string {
    return Math.round(count / this.#seconds).toLocaleString("en-US");
  }
}

const formatMs = (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: 2, useGrouping: false });
const countAccepted = ({ statuses }: OverloadResult) =>
  Object.entries(statuses).reduce((sum, [status, count]) => (status === "503" ? sum : sum + count), 0);

const overloadHead = [
  "calls",
  "p99 at rest, ms",
  `${saturation} clients: requests/s / p99, ms`,
  `${overload} clients: accepted requests/s / p99, ms`,
  "p99 relative to rest",
  "rejected requests/s / p99, ms",
  "slowest /healthz, ms",
  "p99 at rest afterwards, ms",
];

// Measures at rest, saturated, overloaded, and at rest again.
async function measureOverload(
  clients: Clients,
  server: Server,
  name: string,
  requests: readonly string[],
  obeyRetryAfter = false,
): Promise<string[]> {
  const rest = { requests, connections: 16, rate: 100 };
  await clients.send(server, { requests, connections: saturation }); // warm-up
  const before = await clients.send(server, rest);
  const saturated = await clients.send(server, { requests, connections: saturation });
  const sending = clients.send(server, { requests, connections: overload, obeyRetryAfter });
  const [overloaded, slowestHealthCheck] = await pollHealth(server, sending);
  const after = await clients.send(server, rest);
  const rejected = overloaded.statuses[503];
  return [
    name,
    formatMs(before.p99),
    `${clients.formatRate(countAccepted(saturated))} / ${formatMs(saturated.p99)}`,
    `${clients.formatRate(countAccepted(overloaded))} / ${formatMs(overloaded.p99)}`,
    (overloaded.p99 / before.p99).toFixed(1),
    rejected ? `${clients.formatRate(rejected)} / ${formatMs(overloaded.rejectedP99)}` : "none",
    formatMs(slowestHealthCheck),
    formatMs(after.p99),
  ];
}

// Polls /healthz until the promise settles. Returns its result and the longest latency in milliseconds.
async function pollHealth<T>({ origin }: Server, promise: Promise<T>): Promise<[T, number]> {
  let isSettled = false;
  let slowest = 0;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    const start = performance.now();
    const response = await fetch(`${origin}/healthz`);
    if (response.status !== 200) throw new Error(`/healthz responds with ${response.status}`);
    await response.text();
    slowest = Math.max(slowest, performance.now() - start);
    await pause(20);
  }
  return [await settled, slowest];
}

const concurrencyHead = [
  "random pages of 20 pets: connections",
  ...[contenders.sqlite, contenders.fastify].map(({ name }) => `${name}: served / rejected requests/s`),
  ...[contenders.sqlite, contenders.fastify].map(({ name }) => `${name}: p99, ms`),
  "ratio of p99 (range)",
  "slowest /healthz, ms",
];

// Measures the Pet Store and another server in alternating rounds, at an increasing number of connections. The numbers
// are medians of the rounds.
async function measureConcurrency(
  clients: Clients,
  service: Server,
  other: Server,
  requests: readonly string[],
  condition = "",
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const connections of concurrency) {
    const [results, others, healthChecks]: [OverloadResult[], OverloadResult[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      const [result, slowest] = await pollHealth(service, clients.send(service, { requests, connections }));
      results.push(result);
      healthChecks.push(slowest);
      others.push(await clients.send(other, { requests, connections }));
    }
    const ratios = results.map(({ p99 }, round) => p99 / (others[round] as OverloadResult).p99);
    const formatCount = (list: readonly OverloadResult[], status: number) =>
      clients.formatRate(median(list.map(({ statuses }) => statuses[status] ?? 0)));
    rows.push([
      `${connections}${condition}`,
      ...[results, others].map((list) => `${formatCount(list, 200)} / ${formatCount(list, 503)}`),
      ...[results, others].map((list) => formatMs(median(list.map(({ p99 }) => p99)))),
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      formatMs(median(healthChecks)),
    ]);
  }
  return rows;
}
