// Metrics of several worker processes: src/operate/telemetry/aggregation.ts and src/operate/telemetry/worker-ipc.ts under SIGHUP,
// SIGKILL and SIGSTOP.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Totals } from "../../src/operate/telemetry/aggregation.ts";
import { petstore } from "../support/command.ts";
import { folder } from "../support/files.ts";
import { listWorkers, type Server, startServer } from "../support/processes.ts";
import { nonzero, openMetrics, parseSeries } from "../support/series.ts";
import { pause, until } from "../support/wait.ts";

const env = {
  DATABASE_URL: `sqlite:${join(folder(t), "petstore.db")}`,
  LOG_LEVEL: "warn",
  WORKERS: "2",
  ...openMetrics,
};
const [key = "", operator = ""] = await Promise.all(
  [["alice"], ["op", "--operator"]].map(async (args) =>
    (await petstore(env, ["keys", "create", ...args])).stdout.trim(),
  ),
);
const server = await startServer(t, env);
const getPet = 'operation="getPet"';

t.test("Sums the metrics of all workers, also while they are replaced or killed", async (t) => {
  for (let n = 0; n < 100; n++) await (await call("/v1/pets/1")).text();
  await untilCounted(100);
  for (let n = 0; n < 5; n++) t.equal(await count(server, getPet), 100, "any worker returns the sum");
  await untilAllReport();
  const resident = await count(server, "", "process_resident_memory_bytes");
  t.ok(resident > 100_000_000, `the memory of both: ${resident}`);
  const watch = watchTotal();

  const reading = startLoad("/v1/pets/1");
  await reading.until(50);
  const old = listWorkers(server);
  server.child.kill("SIGHUP");
  await untilReplaced(old);
  await reading.until(50);
  const { succeeded, failed } = await reading.stop();
  t.equal(failed, 0);
  const expected = 100 + succeeded;
  await untilCounted(expected);
  t.equal(await count(server, 'key="alice"', "petstore_deprecated_calls_total"), expected, "by deprecated operation");

  const listing = startLoad("/v1/pets");
  await listing.until(50);
  const [victim = 0] = listWorkers(server);
  process.kill(victim, "SIGKILL");
  await untilReplaced([victim]);
  await listing.until(50);
  await listing.stop();
  t.same(await watch.stop(), [], "the total never decreases");
  t.equal(await count(server, getPet), expected, "the counters of the killed worker stay");
  await untilAllReport();
  const now = await count(server, "", "process_resident_memory_bytes");
  t.ok(now < resident * 1.6, `the memory of workers that exited is not counted: ${resident} → ${now}`);

  const status = (await (await call("/status.json", operator)).json()) as Totals;
  t.match(status, { workers: 2, requests: { "4xx": expected }, latency: { p95: Number } }, "the sum of all workers");
});

t.test("Responds with 503 while the primary, which has the metrics of all workers, does not respond", async (t) => {
  const before = await count(server);
  server.child.kill("SIGSTOP");
  t.teardown(() => server.child.kill("SIGCONT"));
  const start = Date.now();
  const rejected = await call("/metrics");
  t.equal(rejected.status, 503);
  t.match(await rejected.json(), {
    code: "unavailable",
    message: "The metrics of all processes are not available. Try again in 1 second.",
  });
  const many = await Promise.all(Array.from({ length: 60 }, async () => (await call("/metrics")).status));
  t.same([...new Set(many)], [503], "also for concurrent scrapes");
  t.ok(Date.now() - start < 20_000, "each waits for a second");
  t.equal((await call("/v1/pets/1")).status, 404, "operations are still served");
  server.child.kill("SIGCONT");
  await until(
    async () => ((await call("/metrics")).status === 200 ? true : undefined),
    () => "no metrics",
  );
  t.ok((await count(server)) >= before);
  t.match(await server.end("SIGTERM"), { code: 0 });
});

/** Calls the service on a separate connection, which any worker may accept. */
function call(path: string, bearer = key): Promise<Response> {
  return fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${bearer}`, connection: "close" } });
}

/** Scrapes any worker, and returns the sum of a metric over all series with these labels. */
async function count({ url }: Server, labels = "", name = "petstore_requests_total"): Promise<number> {
  const response = await fetch(new URL("/metrics", url), { headers: { connection: "close" } });
  const series = nonzero(parseSeries(await response.text()), name);
  return Object.entries(series).reduce((sum, [line, value]) => sum + (line.includes(labels) ? value : 0), 0);
}

/** Waits until the metrics include all requests: workers publish theirs once a second, and when they are scraped. */
async function untilCounted(expected: number): Promise<void> {
  let counted = 0;
  await until(
    async () => {
      counted = await count(server, getPet);
      return counted === expected ? true : undefined;
    },
    () => `${counted} of ${expected} requests`,
  );
}

/** Waits until the gauges are those of two workers. Each worker reports the same number of `process_max_fds`. */
async function untilAllReport(): Promise<void> {
  const limits = readFileSync(`/proc/${listWorkers(server)[0]}/limits`, "utf8");
  const expected = 2 * Number(/^Max open files +(\d+)/m.exec(limits)?.[1]);
  await until(
    async () => ((await count(server, "", "process_max_fds")) === expected ? true : undefined),
    () => "the gauges are not those of two workers",
  );
}

/** Waits until two workers run, and none of `old`. */
async function untilReplaced(old: readonly number[]): Promise<void> {
  await until(
    () => {
      const workers = listWorkers(server);
      return workers.length === 2 && !workers.some((pid) => old.includes(pid)) ? true : undefined;
    },
    () => `the workers are ${listWorkers(server)}`,
  );
}

/** Scrapes the total of all requests repeatedly, and records each decrease. */
function watchTotal() {
  let isRunning = true;
  const decreases: string[] = [];
  const done = (async () => {
    for (let last = 0; isRunning; await pause(20)) {
      const now = await count(server).catch(() => last); // the worker was killed
      if (now < last) decreases.push(`${last} → ${now}`);
      last = now;
    }
  })();
  const stop = async () => {
    isRunning = false;
    await done;
    return decreases;
  };
  return { stop };
}

/** Sends requests one after the other. */
function startLoad(path: string) {
  let isRunning = true;
  const tally = { succeeded: 0, failed: 0 };
  const done = (async () => {
    while (isRunning)
      await call(path).then(
        async (response) => {
          await response.text();
          tally.succeeded += 1;
        },
        () => {
          tally.failed += 1;
        },
      );
  })();
  return {
    /** Waits for `more` further responses. */
    async until(more: number) {
      const expected = tally.succeeded + more;
      await until(
        () => (tally.succeeded >= expected ? true : undefined),
        () => `${tally.succeeded} of ${expected} responses`,
      );
    },
    async stop() {
      isRunning = false;
      await done;
      return tally;
    },
  };
}
