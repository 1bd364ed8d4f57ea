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

const served = (count: number) => Array(count).fill(200);
const overload = [...served(76), ...Array(49).fill(503)];

t.test("Rejects requests that have waited for 75 ms after 200 ms of such waits", async (t) => {
  const { service, time, pipeline } = await startBusy(t, 1);
  t.same(toStatuses(await pipeline(400)), served(400), "a single tick may be a stall");
  for (let n = 0; n < 2; n++) t.same(toStatuses(await pipeline(125)), overload);
  for (const path of ["/healthz", "/readyz"]) t.equal((await service.call("GET", path)).status, 200, path);
  await service.call("GET", "/v1/pets");
  for (let n = 0; n < 2; n++)
    t.same(toStatuses(await pipeline(125)), served(125), "a request that does not wait ends the overload");
  t.same(toStatuses(await pipeline(125)), overload);
  time.now += 76;
  t.same(toStatuses(await pipeline(125)), served(125), "a pause ends it, too");
});

t.test("Responds with Retry-After to rejected requests, and counts them in the log and the metrics", async (t) => {
  const { service, pipeline } = await startBusy(t, 1);
  await pipeline(200);
  const rejected = (await pipeline(125)).filter(({ status }) => status !== 200);
  t.equal(rejected.length, 49);
  for (const response of rejected)
    t.match(response, {
      status: 503,
      headers: { "retry-after": /^[123]$/ },
      body: { code: "unavailable", message: "The service has too much to do. Try again." },
    });
  const logged = () =>
    service.logs
      .filter(({ msg }) => msg === "overloaded: requests rejected")
      .reduce((sum, line) => sum + Number(line.rejected), 0);
  await until(
    () => logged() === rejected.length || undefined,
    () => `the log counts ${logged()} of ${rejected.length}`,
  );
  const { text } = await service.call("GET", "/metrics");
  t.match(text, `\npetstore_requests_rejected_total ${rejected.length}\n`);
});

t.test("Accepts 16 requests at a time, however slow they are", async (t) => {
  const { pipeline } = await startBusy(t, 60);
  for (let n = 0; n < 3; n++) t.same(toStatuses(await pipeline(16)), served(16));
  t.same(toStatuses(await pipeline(17)), [...served(16), 503]);
});

t.test("Never rejects requests that wait for less than 75 ms", async (t) => {
  const { pipeline } = await startBusy(t, 0.24);
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
