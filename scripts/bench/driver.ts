// Drives one contender at a time, from a process of its own: asked by a message, it answers with one.
import { createHistogram } from "node:perf_hooks";
import autocannon from "autocannon";
import type { Load, Order } from "./work.ts";

async function drive({ url, requests, connections, seconds }: Order): Promise<Load> {
  // autocannon's own has whole milliseconds.
  const times = createHistogram();
  const statuses: Record<string, number> = {};
  const before = process.cpuUsage();
  const began = performance.now();
  let last = began;
  const run = autocannon({ url, requests: [...requests], connections, duration: seconds, sampleInt: 20 });
  run.on("response", (_client, status, _bytes, milliseconds) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    times.record(Math.max(1, Math.round(milliseconds * 1_000)));
    last = performance.now();
  });
  const { errors } = await run;
  const { user, system } = process.cpuUsage(before);
  return {
    statuses,
    failed: errors,
    seconds: (last - began) / 1_000,
    p50: times.percentile(50) / 1_000,
    p99: times.percentile(99) / 1_000,
    driving: (user + system) / 1_000 / (performance.now() - began),
  };
}

process.on("message", (order: Order) => drive(order).then((load) => process.send?.(load)));
