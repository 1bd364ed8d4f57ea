// One rate limit for several processes: the workers of a machine, and machines with a Valkey or Redis server.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";
import t, { type Test } from "tap";
import { ValkeyCounter } from "../../src/operate/limits/valkey-counter.ts";
import { createSqliteStore } from "../support/faults.ts";
import { folder } from "../support/files.ts";
import { get } from "../support/http.ts";
import { freePort } from "../support/port.ts";
import { lastLines, petstoreProcess, type Server, startServer } from "../support/processes.ts";
import { skipWithout } from "../support/programs.ts";
import { until } from "../support/wait.ts";

const skip = skipWithout("redis-server", "redis-server");

/** Sends `count` requests to each of the services, each on a connection of its own, and counts the responses by status. */
async function flood(servers: readonly Server[], key: string, count: number): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${key}`, connection: "close" };
  const urls = servers.flatMap(({ url }) => Array.from({ length: count }, () => `${url}/pets`));
  const statuses: Record<string, number> = {};
  const work = async () => {
    for (let url = urls.pop(); url !== undefined; url = urls.pop()) {
      const { status } = await fetch(url, { headers });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return statuses;
}

/** Starts a Redis server without files. Returns its URL, and a function that ends it. */
async function startRedis(t: Test, port: number) {
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--dir", folder(t)];
  const running = execFile("redis-server", options);
  const exit = once(running, "exit");
  const end = async () => {
    running.kill("SIGKILL");
    await exit;
  };
  t.teardown(end);
  return { url: `redis://127.0.0.1:${port}`, end };
}

/** Sends requests on `count` connections at the same time, for some seconds. Counts the responses by status. */
async function load(servers: readonly Server[], key: string, count: number, seconds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const statuses: Record<string, number> = {};
  const end = performance.now() + seconds * 1_000;
  const work = async (_: unknown, n: number) => {
    const { url } = servers[n % servers.length] as Server;
    while (performance.now() < end) {
      const { status } = await get(`${url}/pets?limit=1`, key, agent);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  agent.destroy();
  return statuses;
}

const countsForItself = /this process counts for itself/;

t.test("All workers of a machine enforce one limit", async (t) => {
  const { file, key } = await createSqliteStore(t);
  const settings = { DATABASE_URL: `sqlite:${file}`, WORKERS: "3", RATE_LIMIT: "50/1h" };
  const server = await startServer(t, settings);
  t.same(await flood([server], key, 120), { 200: 50, 429: 70 });
  t.match(await server.end("SIGTERM"), { code: 0 });
  const pids = new Set([...server.out.stdout.matchAll(/"pid":(\d+)[^\n]*"status":200/g)].map(([, pid]) => pid));
  t.ok(pids.size > 1, "several workers have served the requests");
});

t.test("Workers exceed the limit by at most 5 % on 80 connections of a busy machine", async (t) => {
  const { file, key } = await createSqliteStore(t);
  const settings = { DATABASE_URL: `sqlite:${file}`, WORKERS: "2", RATE_LIMIT: "300/1h", LOG_LEVEL: "warn" };
  const server = await startServer(t, settings);
  const busy = Array.from({ length: 4 }, () =>
    execFile(process.execPath, ["-e", "for (const end = Date.now() + 10_000; Date.now() < end; );"]),
  );
  t.teardown(() => busy.forEach((child) => void child.kill("SIGKILL")));
  const { 200: allowed = 0, 429: limited = 0, 503: shed = 0, ...others } = await load([server], key, 80, 4);
  t.ok(allowed <= 315, `${allowed} requests of 300 were allowed`);
  t.ok(limited > 0, `${limited} requests exceeded the limit, and ${shed} were shed`);
  t.same(others, {});
});

t.test("Workers count for themselves within their share while the primary does not respond", async (t) => {
  const { file, key } = await createSqliteStore(t);
  const settings = { DATABASE_URL: `sqlite:${file}`, WORKERS: "2", RATE_LIMIT: "300/1h" };
  const operator = petstoreProcess(settings, "keys", "create", "olivia", "--operator").stdout.trim();
  const server = await startServer(t, settings);
  await flood([server], key, 100);
  const { pid } = server.child;
  process.kill(pid as number, "SIGSTOP");
  t.teardown(() => process.kill(pid as number, "SIGCONT"));
  const { 200: allowed = 0, 429: limited = 0, 503: _, ...others } = await load([server], key, 20, 5);
  t.ok(allowed > 0 && allowed <= 260, `${allowed} requests were allowed, of the 200 that were left`);
  t.ok(limited > 0, `${limited} requests exceeded the limit`);
  t.same(others, {});
  process.kill(pid as number, "SIGCONT");
  await until(
    () => countsForItself.test(server.out.stdout) || undefined,
    () => lastLines(server.out),
  );
  const readMetrics = async () => {
    const { text } = await get(new URL("/metrics", server.url).href, operator);
    return Number(/^petstore_rate_limit_local_requests_total (\d+)$/m.exec(text)?.[1]);
  };
  const counted = await until(
    async () => (await readMetrics()) || undefined,
    () => "no request was counted by a worker for itself",
  );
  t.ok(counted >= allowed, `${counted} were counted by workers for themselves`);
});

t.test("A report to a Redis server is counted completely or not at all", { skip }, async (t) => {
  const port = await freePort();
  const { url } = await startRedis(t, port);
  const redis = await createClient({ url })
    .on("error", () => {}) // until the server listens
    .connect();
  t.teardown(() => redis.destroy());
  const counter = new ValkeyCounter(url, { count: 10, seconds: 3_600 }, 1, () => {});
  t.teardown(() => counter.close());
  await counter.connected;
  const used = async (client: string) => Math.round((await counter.take(client)).used);
  await counter.add(new Map());
  await counter.add(
    new Map([
      ["a", 3],
      ["b", 2],
      ["c", -5],
    ]),
  );
  t.same([await used("a"), await used("b"), await used("c")], [4, 3, 1]);
  await redis.del("{openapi-server}:calls:b");
  await redis.lPush("{openapi-server}:calls:b", "no counter");
  await t.rejects(
    counter.add(
      new Map([
        ["a", 3],
        ["b", 2],
      ]),
    ),
    /WRONGTYPE/,
  );
  t.equal(await used("a"), 5);
});

t.test("Several services with a Redis server enforce one limit, and their own while it fails", { skip }, async (t) => {
  const { file, key } = await createSqliteStore(t);
  const port = await freePort();
  const redis = await startRedis(t, port);
  const settings = { DATABASE_URL: `sqlite:${file}`, RATE_LIMIT: "30/1h", RATE_LIMIT_STORE: redis.url };
  const servers = await Promise.all([startServer(t, settings), startServer(t, { ...settings, WORKERS: "2" })]);
  const read = async ({ url }: Server) =>
    (await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } })).headers.get("ratelimit");
  // Each process counts for itself until it is connected.
  await until(
    async () => ((await read(servers[0] as Server))?.includes("r=29;") ? undefined : true),
    () => "not connected",
  );
  const statuses = await flood(servers, key, 40);
  t.ok((statuses[200] as number) <= 28, JSON.stringify(statuses));
  t.ok((statuses[200] as number) >= 20, JSON.stringify(statuses));

  await redis.end();
  const alone = await flood([servers[0] as Server], key, 40);
  t.same(alone, { 429: 40 }, "it knows that no request is left");
  await sleep(2_500); // longer than the interval at which a process registers
  const other = petstoreProcess(settings, "keys", "create", "other").stdout.trim();
  const { 200: allowed = 0 } = await flood([servers[0] as Server], other, 40);
  t.ok(allowed >= 10 && allowed <= 11, `a third of the limit: ${allowed}`);
  await until(
    () => countsForItself.test((servers[0] as Server).out.stdout) || undefined,
    () => lastLines((servers[0] as Server).out),
  );

  const { end } = await startRedis(t, port);
  const again = await until(
    async () => ((await read(servers[0] as Server))?.includes("r=29;") ? true : undefined),
    () => "does not connect again",
  );
  t.ok(again, "the new server has counted no request yet");
  t.match(await (servers[0] as Server).end("SIGTERM"), { code: 0 });
  await end();
  t.match(await (servers[1] as Server).end("SIGTERM"), { code: 0 }, "ends also without the server");
});
