// Measures load shedding and slow clients: `npm run bench -- overload`. `--write` writes the tables into the README.
// Compares a saturated server with five times as many clients. If slowhttptest is installed, also attacks the server
// with it.
import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { type Cleanup, createCleanup } from "../../test/support/cleanup.ts";
import { writeMeasurements } from "../readme.ts";
import type { OverloadOptions, OverloadResult } from "./overload-clients.ts";
import { formatTable } from "./report.ts";
import { prepareDatabases, type Server, startAttack, startClient, startServer } from "./servers.ts";
import { pets } from "./workloads.ts";

const saturation = 64; // connections: more of them do not increase the throughput
const overload = 5 * saturation;
const slowConnections = 2_000;

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
    const { key, databasesOf, end } = await prepareDatabases(folder, ["sqlite", "postgres"]);
    cleanup.teardown(end);
    const start = async (id: "sqlite" | "postgres") => {
      const server = await startServer(id, databasesOf(id), key);
      cleanup.teardown(() => server.child.kill("SIGKILL"));
      return server;
    };
    const clients = new Clients(cleanup, seconds);
    const { mix, lists } = createRequests(key);
    const sqlite = await start("sqlite");
    const rows = [
      await measureOverload(clients, sqlite, "9 reads, 1 create", mix),
      await measureOverload(clients, sqlite, "lists, most of them not cached", lists),
      await measureOverload(clients, sqlite, "the same, with clients that obey Retry-After", lists, true),
    ];
    const attackRows = await measureAttacks(clients, sqlite, mix, seconds, cleanup);
    sqlite.child.kill("SIGKILL");
    rows.push(await measureOverload(clients, await start("postgres"), "9 reads, 1 create, PostgreSQL", mix));

    const tables = [formatTable(overloadHead, rows)];
    if (attackRows.length > 0) tables.push(formatTable(attackHead, attackRows));
    const text = tables.join("\n\n");
    console.log(text);
    if (values.write) writeMeasurements("overload", text, "one core for the server and one for its clients");
  } finally {
    await cleanup.cleanUp();
  }
}

function createRequests(key: string) {
  const create = (method: string, path: string, body = "") =>
    `${method} /v1/pets${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${
      body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    }\r\n${body}`;
  const mix = Array.from({ length: 100 }, (_, n) =>
    n % 10 === 9
      ? create("POST", "", '{"name":"Rex","categoryId":7}')
      : create("GET", n % 2 ? `/${1 + ((n * 1_031) % pets)}` : "?limit=20"),
  );
  // More different lists than the service caches
  const lists = Array.from({ length: 240 }, (_, n) =>
    create("GET", `?limit=${21 + ((n * 7) % 80)}&status=${["available", "pending", "sold"][n % 3]}`),
  );
  return { mix, lists };
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
    return (await once(this.#child, "message"))[0];
  }

  formatRate(count: number): string {
    return Math.round(count / this.#seconds).toLocaleString("en-US");
  }
}

const formatMs = (value: number) => value.toPrecision(2);
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

const attackHead = [
  `${slowConnections.toLocaleString("en-US")} connections with`,
  "open connections, by slowhttptest",
  "service available, by slowhttptest",
  "unanswered requests of another client",
  "p99 before, ms",
  "p99 during the attack, ms",
];

async function measureAttacks(
  clients: Clients,
  server: Server,
  requests: readonly string[],
  seconds: number,
  { teardown }: Cleanup,
): Promise<string[][]> {
  if (spawnSync("slowhttptest", ["-h"]).error) {
    console.error("Skips the attacks by slow clients: slowhttptest is not installed (apt-get install slowhttptest).");
    return [];
  }
  const api = `${server.origin}/v1/pets`;
  const largeFile = `${server.origin}/docs/static/swagger-ui-bundle.js`;
  const attacks: Record<string, string> = {
    "slow headers": `-H -i 5 -u ${api}`,
    "slow bodies": `-B -i 5 -s 60000 -u ${api}`,
    "slow reading": `-X -w 512 -y 1024 -n 5 -z 32 -k 3 -u ${largeFile}`,
  };
  const rows: string[][] = [];
  for (const [name, options] of Object.entries(attacks)) {
    const load = { requests, connections: 4, rate: 100 };
    const before = await clients.send(server, load);
    const common = `-c ${slowConnections} -r 1000 -l ${seconds + 5} -p 3`;
    const attack = startAttack("slowhttptest", ...`${common} ${options}`.split(" "));
    teardown(() => attack.kill());
    let output = "";
    attack.stdout.on("data", (chunk) => {
      output += stripVTControlCharacters(String(chunk));
    });
    const exit = once(attack, "exit");
    await pause(3_000); // until the connections are open
    const during = await clients.send(server, load);
    await exit;
    const connected = [...output.matchAll(/connected:\s+(\d+)/g)].map(([, count]) => Number(count));
    const isAvailable = [...output.matchAll(/service available:\s+(\w+)/g)].every(([, word]) => word === "YES");
    rows.push([
      name,
      String(Math.max(...connected)),
      isAvailable ? "always" : "not always",
      String(during.unanswered),
      formatMs(before.p99),
      formatMs(during.p99),
    ]);
  }
  return rows;
}
