// The limit of log lines about requests without a valid API key.
import { pino } from "pino";
import t from "tap";
import { MetricsRegistry } from "../../../src/lib/metrics.ts";
import { UnavailableError } from "../../../src/lib/problem.ts";
import { LogLimiter } from "../../../src/operate/telemetry/log-limiter.ts";
import { handlers } from "../../../src/pets/handlers.ts";
import { openMetrics, scrape } from "../../support/series.ts";
import { type Service, start } from "../../support/service.ts";
import { until } from "../../support/wait.ts";

const get = (path: string, key?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}\r\n`;

/** Sends a request `n` times, up to 50 times on each connection. Throws an Error if a response is missing. */
async function send({ raw }: Service, request: string, n: number): Promise<void> {
  for (let sent = 0; sent < n; sent += 50) {
    const size = Math.min(50, n - sent);
    const { length } = await raw(request.repeat(size));
    if (length !== size) throw new Error(`${length} of ${size} responses`);
  }
}

/** Returns the sum of the lines that were dropped, by status. */
function countDropped({ logs }: Service): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { droppedByStatus } of logs)
    for (const [status, n] of Object.entries((droppedByStatus ?? {}) as Record<string, number>))
      sums[status] = (sums[status] ?? 0) + n;
  return sums;
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, n) => total + n, 0);

/** Returns the number of lines that may be logged after a time (performance.now). */
const maxLinesSince = (began: number) => 100 * (1 + Math.ceil((performance.now() - began) / 1_000));

/** Counts the logged requests by status. */
function countLogged({ logs }: Service, message = "request completed"): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { msg, status } of logs) if (msg === message) counts[Number(status)] = (counts[Number(status)] ?? 0) + 1;
  return counts;
}

t.test("Logs 100 lines a second about requests without a valid key, and counts the other ones by status", async (t) => {
  const service = await start(t, { settings: { ...openMetrics, RATE_LIMIT_FAILED: "400/24h" } });
  const began = performance.now();
  await send(service, get("/v1/pets"), 300);
  await send(service, get("/nothing"), 300);
  await send(service, get("/v1/pets", "wrong"), 500);
  await send(service, get("/healthz"), 50);
  const lines = () => sum(Object.values(countLogged(service)));
  await until(
    () => lines() + sum(Object.values(countDropped(service))) === 1_150,
    () => JSON.stringify([countLogged(service), countDropped(service)]),
  );
  t.ok(lines() >= 100 && lines() <= maxLinesSince(began), `${lines()} lines`);
  const [logged, dropped] = [countLogged(service), countDropped(service)];
  for (const [status, n] of Object.entries({ 200: 50, 401: 700, 404: 300, 429: 100 }))
    t.equal((logged[status] ?? 0) + (dropped[status] ?? 0), n, status);
  const series = await scrape(service);
  t.equal(series.petstore_log_lines_dropped_total, sum(Object.values(dropped)));
});

t.test("Logs a line for each successful request of a caller", async (t) => {
  const service = await start(t);
  await send(service, get("/v1/pets", service.key), 300);
  t.same(countLogged(service), { 200: 300 });
  t.same(countDropped(service), {});
});

t.test("Limits the lines about requests with a valid key that are no calls of an operation", async (t) => {
  const service = await start(t);
  const began = performance.now();
  await send(service, get("/metrics", service.key), 600);
  await service.close();
  const logged = countLogged(service)[403] ?? 0;
  t.ok(logged >= 100 && logged <= maxLinesSince(began), `${logged} lines`);
  t.equal(logged + (countDropped(service)[403] ?? 0), 600);
});

t.test("Limits the lines about malformed requests", async (t) => {
  const service = await start(t);
  const began = performance.now();
  await Promise.all(Array.from({ length: 600 }, () => service.raw("nonsense\r\n\r\n")));
  await service.close();
  const logged = countLogged(service, "malformed request")[400] ?? 0;
  t.ok(logged >= 100 && logged <= maxLinesSince(began), `${logged} lines`);
  t.equal(logged + (countDropped(service)[400] ?? 0), 600);
});

t.test("Limits the lines about failures, and logs bugs while other requests are rejected", async (t) => {
  const service = await start(t, {
    handlers: {
      ...handlers,
      listPets: () => Promise.reject(new UnavailableError("The database is locked.")),
      getPet: () => Promise.reject(new Error("a bug")),
    },
  });
  const began = performance.now();
  await send(service, get("/v1/pets", service.key), 600);
  await send(service, get("/v1/pets/1", service.key), 1);
  await service.close();
  const of = (message: string) => service.logs.filter(({ msg }) => msg === message).length;
  const lines = [of("a dependency is unavailable"), countLogged(service)[503] ?? 0];
  for (const n of lines) t.ok(n >= 100 && n <= maxLinesSince(began), `${n} lines`);
  t.equal(sum(lines) + (countDropped(service)[503] ?? 0), 1_200);
  t.equal(of("request failed"), 1);
});

t.test("Logs that a dependency is unavailable while other requests are rejected", async (t) => {
  const listPets = () => Promise.reject(new UnavailableError("The database is locked."));
  const service = await start(t, { handlers: { ...handlers, listPets } });
  const log = new LogLimiter(pino({ level: "silent" }), new MetricsRegistry());
  for (let n = 0; n < 200; n += 1) log.take(404);
  t.notOk(log.take(503), "a request that load shedding rejects");
  t.ok(log.takeFailure(503));
  t.ok(log.takeFailure(500));
  t.ok(log.take(500), "a bug in a request without a key");
  await send(service, get("/nothing"), 300);
  await send(service, get("/v1/pets", service.key), 1);
  await service.close();
  t.equal(service.logs.filter(({ msg }) => msg === "a dependency is unavailable").length, 1);
});
