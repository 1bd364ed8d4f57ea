// Load shedding over a real socket. A manual clock advances with each request, as if the request took that long.
import t from "tap";
import { start } from "../support/service.ts";
import { until } from "../support/wait.ts";

/** Starts a service whose clock advances by `cost` milliseconds with each request. */
async function startBusy(t: Parameters<typeof start>[0], cost: number) {
  const time = { now: 0 };
  const service = await start(t, { overrides: { clock: () => time.now, checkInterval: 10 } });
  service.app.server.prependListener("request", () => {
    time.now += cost;
  });
  /** Sends requests in one write, so that all arrive in one tick of the event loop. */
  const pipeline = (count: number) =>
    service.raw(
      `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`.repeat(count),
    );
  return { service, time, pipeline };
}

const toStatuses = (responses: { status: number }[]) => responses.map(({ status }) => status);

t.test("Rejects requests with 503 while the event loop is saturated, and recovers", async (t) => {
  const { service, time, pipeline } = await startBusy(t, 1);
  const first = await pipeline(150);
  t.same(toStatuses(first), Array(150).fill(200), "serves a burst");

  const second = await pipeline(150);
  t.equal(second.length, 150);
  const rejected = second.filter(({ status }) => status !== 200);
  t.ok(rejected.length > 0 && rejected.length <= 134, `rejects ${rejected.length} of 150, and at least 16 are served`);
  for (const response of rejected)
    t.match(response, {
      status: 503,
      headers: { "retry-after": /^[123]$/ },
      body: { code: "unavailable", message: "The service has too much to do. Try again." },
    });
  for (const path of ["/healthz", "/readyz"]) t.equal((await service.call("GET", path)).status, 200, path);

  const logged = () =>
    service.logs
      .filter(({ msg }) => msg === "overloaded: requests rejected")
      .reduce((sum, line) => sum + Number(line.rejected), 0);
  await until(
    () => logged() === rejected.length || undefined,
    () => `the log counts ${logged()} of ${rejected.length}`,
  );
  const { text } = await service.call("GET", "/metrics");
  t.match(text, `\npetstore_requests_rejected_total ${rejected.length}\n`, "the metrics count them");

  t.ok(
    (await pipeline(150)).some(({ status }) => status === 503),
    "accepts no burst for 4 s after that",
  );
  time.now += 4_001;
  await service.call("GET", "/v1/pets");
  t.same(toStatuses(await pipeline(90)), Array(90).fill(200), "and serves bursts again afterwards");
});

t.test("Never rejects cheap requests", async (t) => {
  const { pipeline } = await startBusy(t, 0.03);
  for (let n = 0; n < 4; n++) t.same(toStatuses(await pipeline(300)), Array(300).fill(200));
});

t.test("Rejects requests with 503 while 90% of the heap is used", async (t) => {
  const heap = { used_heap_size: 89, heap_size_limit: 100 };
  const service = await start(t, { overrides: { heap: () => heap, checkInterval: 10 } });
  const untilStatus = (status: number) =>
    until(
      async () => {
        const response = await service.call("GET", "/v1/pets");
        return response.status === status ? response : undefined;
      },
      () => `no response has the status ${status}`,
    );
  t.equal((await service.call("GET", "/v1/pets")).status, 200);
  heap.used_heap_size = 91;
  t.match(await untilStatus(503), {
    headers: { "retry-after": /^[123]$/ },
    body: { code: "unavailable", message: "The service has too much to do. Try again.", status: 503 },
  });
  t.equal((await service.call("GET", "/healthz")).status, 200);
  await until(
    () => service.logs.find(({ rejected, memory }) => Number(rejected) > 0 && memory === true),
    () => JSON.stringify(service.logs),
  );
  heap.used_heap_size = 89;
  await untilStatus(200);
});
