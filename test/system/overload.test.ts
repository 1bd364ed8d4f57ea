// Load shedding under real overload, and with a full heap.
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { petstore } from "../support/command.ts";
import { folder } from "../support/files.ts";
import { lastLines, startServer } from "../support/processes.ts";
import { createRandom } from "../support/random.ts";
import { petInSql } from "../support/stores.ts";
import { pause, until } from "../support/wait.ts";

/** Creates a store with a key. */
async function prepare(t: Test) {
  const place = folder(t);
  const env = { DATABASE_URL: `sqlite:${join(place, "petstore.db")}`, LOG_LEVEL: "warn", METRICS_FROM: "127.0.0.1" };
  return { place, env, key: (await petstore(env, ["keys", "create", "load"])).stdout.trim() };
}

/**
 * Requests expensive lists, one after the other on each connection. Counts the responses by status. The requests are HEAD,
 * which costs the server as much as GET, and this process much less.
 */
function flood(url: string, key: string, connections: number) {
  const { port, pathname } = new URL(url);
  const { int, pick } = createRandom(connections);
  const counts = { 200: 0, 503: 0, other: 0, retryAfter: 0 };
  const request = () => {
    const query = `limit=${50 + int(50)}&status=${pick(["available", "pending", "sold"])}`;
    return `HEAD ${pathname}/pets?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  };
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), "127.0.0.1")
      .setEncoding("latin1")
      .on("error", () => {});
    let rest = "";
    socket.write(request());
    socket.on("data", (chunk: string) => {
      rest += chunk;
      if (!rest.endsWith("\r\n\r\n")) return;
      const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(rest) ?? [];
      if (status === "200" || status === "503") counts[status] += 1;
      else counts.other += 1;
      if (/\r\nretry-after: [123]\r\n/.test(rest)) counts.retryAfter += 1;
      rest = "";
      socket.write(request());
    });
    return socket;
  });
  const stop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { counts, stop };
}

/**
 * Returns the flag for Node that keeps the event loop of a process busy for three quarters of the time, so that the server is
 * overloaded on each machine, however fast it is.
 */
function slowDown(place: string): string {
  const file = join(place, "slow.cjs");
  const block = "const end = performance.now() + 15; while (performance.now() < end);";
  writeFileSync(file, `setInterval(() => { ${block} }, 20).unref();`);
  return `--require ${file}`;
}

t.test("Sheds the load of a client above the capacity, and serves the other clients", async (t) => {
  const { place, env, key } = await prepare(t);
  const other = (await petstore(env, ["keys", "create", "other"])).stdout.trim();
  await petstore(env, ["migrate"]);
  const status = "CASE i % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' ELSE 'pending' END";
  const db = new DatabaseSync(env.DATABASE_URL.slice("sqlite:".length));
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO pets SELECT i, ${petInSql(env.DATABASE_URL, { id: "i", categoryId: "i", status })} FROM n`);
  db.close();
  const { url, out } = await startServer(t, {
    ...env,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${slowDown(place)}`,
  });
  const start = performance.now();
  const connections = 4_000; // more than the server responds to in 500 ms, the limit of the queue
  const { counts, stop } = flood(url, key, connections);
  t.teardown(stop);
  const list = async () => (await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${other}` } })).status;
  let rounds = 0;
  await until(
    async () => {
      for (const path of ["/healthz", "/readyz"]) t.equal((await fetch(new URL(path, url))).status, 200);
      t.equal(await list(), 200, "another client");
      await pause(100);
      rounds += 1;
      return (rounds >= 20 && counts[503] > 0 && counts[200] > 0) || undefined;
    },
    () => `too few responses after ${rounds} rounds: ${JSON.stringify(counts)}`,
  );
  stop();
  t.equal(counts.other, 0, "no other status");
  t.equal(counts.retryAfter, counts[503], "each 503 has Retry-After");
  const rejected = await until(
    () => /"requests":(\d+).*overloaded: load shed/.exec(out.stdout)?.[1],
    () => lastLines(out),
  );
  t.ok(Number(rejected) > 0, "the log has their number");
  const seconds = (performance.now() - start) / 1_000;
  t.ok(out.stdout.split("\n").length < 40 + seconds, "the log has at most one line per second");
  const metrics = await (await fetch(new URL("/metrics", url))).text();
  const [, counted] = /^petstore_requests_shed_total (\d+)$/m.exec(metrics) ?? [];
  t.ok(Math.abs(Number(counted) - counts[503]) <= connections, `${counted} of ${counts[503]} are in /metrics`);
  for (let n = 0; n < 50; n++) t.equal(await list(), 200);
});

t.test("Rejects requests with 503 while the heap is almost full", async (t) => {
  const { place, env, key } = await prepare(t);
  const file = join(place, "fill.cjs");
  writeFileSync(
    file,
    `const { getHeapStatistics } = require("node:v8");
     let memory = [];
     process.on("SIGUSR2", () => {
       if (memory.length > 0) {
         memory = [];
         return;
       }
       const { heap_size_limit } = getHeapStatistics();
       while (getHeapStatistics().used_heap_size < 0.93 * heap_size_limit) memory.push(Array.from({ length: 10_000 }, (_, n) => ({ n })));
     });`,
  );
  const flags = `--max-old-space-size=256 --max-semi-space-size=1 --require ${file}`;
  const { url, child } = await startServer(t, { ...env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${flags}` });
  const becomes = (status: number) =>
    until(
      async () => {
        await pause(100); // requests also use memory
        const response = await fetch(`${url}/pets`, { headers: { authorization: `Bearer ${key}` } });
        const body = await response.json();
        return response.status === status ? body : undefined;
      },
      () => `no response has the status ${status}`,
    );
  await becomes(200);
  child.kill("SIGUSR2");
  t.match(await becomes(503), {
    code: "unavailable",
    message: /^The service is overloaded\. Try again in [123] seconds?\.$/,
    status: 503,
  });
  t.equal((await fetch(new URL("/healthz", url))).status, 200);
  child.kill("SIGUSR2");
  t.ok(await becomes(200), "requests are served again after the memory was released");
});
