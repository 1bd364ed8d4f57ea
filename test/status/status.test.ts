// The status of the service at /status.json: src/status/status.ts.
import t from "tap";
import { version } from "../../src/lib/version.ts";
import { readDocument } from "../../src/pets/document.ts";
import type { Status } from "../../src/status/schema.ts";
import { aggregateLocally } from "../../src/telemetry/aggregation.ts";
import { manualClock } from "../support/clock.ts";
import { openPetStore } from "../support/pets.ts";
import { openMetrics, scrapeUntil } from "../support/series.ts";
import { addKey, start } from "../support/service.ts";
import { untilWritten } from "../support/usage.ts";

const { content, operations } = await readDocument();
const toDate = (time: Date | undefined) => time?.toISOString().slice(0, 10);

t.test("Shows the last hour at /status.json: rates, durations, keys and deprecated operations", async (t) => {
  const clock = manualClock();
  const begin = Math.round(clock.now() / 1_000);
  const metrics = aggregateLocally(() => t.fail("a point is missing"), 10_000, clock);
  const service = await start(t, { metrics, settings: openMetrics });
  const { call, create, store } = service;
  const [alice, operator] = [await addKey(store, "alice"), await addKey(store, "op", undefined, true)];
  await create({ name: "Rex", categoryId: 7 });
  for (let n = 0; n < 30; n++) await call("GET", "/v1/pets/1", { key: alice });
  await call("GET", "/v1/pets/2", { key: alice });
  await scrapeUntil(
    service,
    (series) => series['petstore_requests_total{operation="getPet",method="GET",status="404"}'] === 1,
  );
  await clock.advance(25_000);
  await untilWritten(store, 31);
  const status: Status = JSON.parse((await call("GET", "/status.json", { key: operator })).text);

  t.match(status, {
    at: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
    service: { version, contract: content.info.version, workers: 1, store: "sqlite", reachable: true },
    step: 10,
    store: { pool: null },
  });
  t.equal(status.service.started, new Date(clock.now() - 25_000).toISOString());
  t.same(status.times, [begin + 10, begin + 20]);
  t.same(
    status.operations.map((one) => [one.id, one.method, one.path, one.deprecated]),
    [
      ...operations.map((one) => [one.id, one.method, one.path, one.deprecation !== undefined]),
      ["other", "", "", false],
    ],
  );
  const { store: queries, process: own, rejected, failed } = status;
  const lists = [rejected, failed, queries.p50, queries.p99, own.cpu, own.memory, own.delay, own.inFlight];
  for (const { rate, p50, p99 } of status.operations) lists.push(rate, p50, p99);
  for (const list of lists) t.equal(list.length, 2, "each list has one value per point");
  const getPet = status.operations.find(({ id }) => id === "getPet");
  t.match(getPet, { rate: [3.1, 0], p50: [Number, null], p99: [Number, null], now: { rate: 1.24, failed: 0 } });
  t.match(
    [rejected, failed],
    [
      [0.1, 0],
      [0, 0],
    ],
  );
  t.ok((own.memory.at(-1) as number) > 10_000_000);
  t.match(status.keys[0], { name: "alice", calls: 31, rate: 1.24 });
  const deprecated = operations.filter(({ deprecation }) => deprecation !== undefined).map(({ id }) => id);
  t.same(status.deprecated?.map(({ operation }) => operation).sort(), deprecated.sort());
  t.match(
    status.deprecated?.find(({ operation }) => operation === "getPet"),
    { ...deprecation("getPet"), calls: 31, keys: [{ name: "alice", calls: 31 }] },
  );
});

t.test("Reports that the store is unreachable, with all metrics that do not need it", async (t) => {
  const store = await openPetStore("sqlite::memory:");
  t.teardown(() => store.close());
  const operator = await addKey(store, "op", undefined, true);
  const away = async () => {
    throw new Error("not reachable");
  };
  const lost = await start(t, { store: { ...store, check: away, deprecated: { ...store.deprecated, list: away } } });
  t.match(await lost.call("GET", "/status.json", { key: operator }), {
    status: 200,
    text: /"reachable":false.*"deprecated":null\}$/,
  });
});

/** What the document says about the deprecation of an operation, as /status.json shows it. */
function deprecation(id: string) {
  const { since, sunset, successor } = operations.find((operation) => operation.id === id)?.deprecation ?? {};
  return { operation: id, since: toDate(since), sunset: toDate(sunset), successor };
}
