// Aggregation of the metrics of several processes: src/operate/telemetry/aggregation.ts, and the messages of
// src/operate/telemetry/worker-ipc.ts.
import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import t from "tap";
import { gauge } from "../../../src/lib/metrics.ts";
import { Aggregator, type MetricsSnapshot } from "../../../src/operate/telemetry/aggregation.ts";
import { serveWorker } from "../../../src/operate/telemetry/worker-ipc.ts";
import { parseSeries } from "../../support/series.ts";
import { until } from "../../support/wait.ts";

t.test("Keeps the counters of a process that exited, and removes its gauges", async (t) => {
  const aggregator = new Aggregator("petstore");
  const shared = { help: "help", aggregator: "sum" } as const;
  const snapshot = (calls: number, memory: number): MetricsSnapshot => ({
    metrics: [
      { ...shared, name: "calls_total", type: "counter", values: [{ labels: { a: "b" }, value: calls }] },
      gauge("memory_bytes", "help", memory),
      gauge("delay_seconds", "help", memory, {}, "max"),
    ],
    keys: ["alice"],
    deprecated: [],
  });
  const [one, other] = [{}, {}];
  aggregator.update(one, snapshot(5, 10));
  aggregator.update(other, snapshot(7, 30));
  const read = async () => {
    const series = parseSeries(await aggregator.metrics());
    return [series['calls_total{a="b"}'], series.memory_bytes, series.delay_seconds, series.petstore_keys_active];
  };
  t.same(await read(), [12, 40, 30, 1]);
  const [during] = await Promise.all([read(), aggregator.remove(other), read()]);
  t.same(during, [12, 40, 30, 1], "a process that exits during a scrape is counted once");
  t.same(await read(), [12, 10, 10, 1]);
  aggregator.update(other, snapshot(1, 1));
  await Promise.all([aggregator.remove(other), aggregator.remove({})]);
  t.same(await read(), [13, 10, 10, 1]);
});

t.test("Drops the counters of an exited process if they can't be added, and keeps the others", async (t) => {
  const aggregator = new Aggregator("petstore");
  const metric = { name: "calls_total", help: "help", type: "counter", aggregator: "sum" } as const;
  const add = (process: object, values: unknown) =>
    aggregator.update(process, { metrics: [{ ...metric, values }], keys: [], deprecated: [] } as MetricsSnapshot);
  for (const value of [1, 2]) {
    const process = {};
    add(process, [{ labels: {}, value }]);
    await aggregator.remove(process);
    add(process, null);
    await t.rejects(aggregator.remove(process), TypeError);
  }
  t.equal(parseSeries(await aggregator.metrics()).calls_total, 3);
});

t.test("Reports invalid messages of a worker, and continues", async (t) => {
  const errors: unknown[] = [];
  const aggregator = new Aggregator("petstore");
  const worker = Object.assign(new EventEmitter(), { send: () => {} });
  serveWorker(worker as unknown as Worker, aggregator, (error) => errors.push(error));
  worker.emit("message", { request: { id: 1, method: "trends" } });
  worker.emit("message", { snapshot: {} });
  worker.emit("message", { origin: "http://127.0.0.1:3000", address: "127.0.0.1" });
  await until(
    () => errors.length >= 2,
    () => `${errors.length} of 2 errors`,
  );
  t.equal(errors.length, 2);
  t.match(await aggregator.metrics(), "petstore_keys_active 0");
});
