// Metrics of the process itself: its CPU time, memory and garbage collection, of prom-client, and the lag of the event loop.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Registry } from "prom-client";
import type { Metric } from "../../lib/index.ts";

const lagResolution = 10; // milliseconds between two measurements of the event loop; Node includes it in the lag
const lagWindow = 10_000; // milliseconds

// Omitted: counts of handles and requests, which are slow with many connections; and the lag of prom-client, which each reader
// resets for the others.
const omitted = /^nodejs_(active_|eventloop_lag_)/;

interface ProcessMetrics {
  readonly registry: Registry;
  readonly lag: () => Metric[];
}

let metrics: Promise<ProcessMetrics> | undefined;

/** Collects the metrics of this process. The event loop lag is that of the last complete window of 10 seconds. */
export async function collectProcessMetrics(): Promise<Metric[]> {
  metrics ??= createMetrics();
  const { registry, lag } = await metrics;
  const collected = (await registry.getMetricsAsJSON()) as unknown as Metric[];
  const own = collected.map((metric) =>
    metric.name === "process_start_time_seconds" ? ({ ...metric, aggregator: "min" } as Metric) : metric,
  );
  return [...own, ...lag()];
}

async function createMetrics(): Promise<ProcessMetrics> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  // The lag is measured below: the longest interval keeps the monitor of prom-client idle.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 2 ** 31 - 1 });
  for (const { name } of registry.getMetricsAsArray() as unknown as Metric[])
    if (omitted.test(name)) registry.removeSingleMetric(name);
  return { registry, lag: monitorLag() };
}

// Returns the lag of the last complete window.
function monitorLag(): () => Metric[] {
  const delay = monitorEventLoopDelay({ resolution: lagResolution });
  delay.enable();
  const read = () =>
    [
      ["max", "maximum", delay.max],
      ["p50", "50th percentile", delay.percentile(50)],
      ["p90", "90th percentile", delay.percentile(90)],
      ["p99", "99th percentile", delay.percentile(99)],
    ].map(([name, words, nanoseconds]) => ({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help: `The ${words} of the event loop lag, in the last complete window of 10 seconds.`,
      type: "gauge",
      aggregator: "max",
      values: [{ labels: {}, value: Math.max(0, Number(nanoseconds) / 1e9 - lagResolution / 1_000) }],
    })) as Metric[];
  let last = read();
  setInterval(() => {
    last = read();
    delay.reset();
  }, lagWindow).unref();
  return () => last;
}
