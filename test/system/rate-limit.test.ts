// One rate limit for several processes: the workers of a machine, and machines with a Valkey or Redis server.
import { execFile } from "node:child_process";
import { once } from "node:events";
import t, { type Test } from "tap";
import { createSqliteStore } from "../support/faults.ts";
import { folder } from "../support/files.ts";
import { freePort } from "../support/port.ts";
import { lastLines, type Server, startServer } from "../support/processes.ts";
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

t.test("All workers of a machine enforce one limit", async (t) => {
  const { file, key } = await createSqliteStore(t);
  const settings = { DATABASE_URL: `sqlite:${file}`, WORKERS: "3", RATE_LIMIT: "50/1h" };
  const run = async () => {
    const server = await startServer(t, settings);
    const statuses = await flood([server], key, 120);
    t.match(await server.end("SIGTERM"), { code: 0 });
    return { server, statuses };
  };
  let { server, statuses } = await run();
  // The limit is exact while the primary responds within 100 ms, which a busy machine can prevent. The log says so.
  for (let n = 0; n < 4 && /this process counts for itself/.test(server.out.stdout); n++)
    ({ server, statuses } = await run());
  t.same(statuses, { 200: 50, 429: 70 });
  const pids = new Set([...server.out.stdout.matchAll(/"pid":(\d+)[^\n]*"status":200/g)].map(([, pid]) => pid));
  t.ok(pids.size > 1, "several workers have served the requests");
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
  t.same(alone, { 200: 30, 429: 10 }, "no request is rejected because the server is gone");
  await until(
    () => /this process counts for itself/.test((servers[0] as Server).out.stdout) || undefined,
    () => lastLines((servers[0] as Server).out),
  );

  await startRedis(t, port);
  const again = await until(
    async () => ((await read(servers[0] as Server))?.includes("r=29;") ? true : undefined),
    () => "does not connect again",
  );
  t.ok(again, "the new server has counted no request yet");
  for (const server of servers) t.match(await server.end("SIGTERM"), { code: 0 });
});
