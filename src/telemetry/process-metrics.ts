// Metrics of the process itself, from prom-client: CPU, memory, garbage collection, event loop.
import type { Registry } from "prom-client";
import type { Metric } from "../lib/index.ts";

const lagResolution = 10; // milliseconds between two measurements of the event loop; Node includes it in the lag
const lagWindow = 10_000; // milliseconds

// Omitted: counts of handles and requests, which are slow with many connections; the lag of the latest tick; and the
// minimum, mean and deviation of the lag, which are not defined without measurements.
const omitted = /^nodejs_(active_|eventloop_lag_((min|mean|stddev)_)?seconds$)/;
const eventLoopLag = /^nodejs_eventloop_lag_/;

let registry: Promise<Registry> | undefined;

/** Collects the metrics of this process. The event loop lag is that of the last complete window of 10 seconds. */
export async function collectProcessMetrics(): Promise<Metric[]> {
  registry ??= createRegistry();
  const metrics = (await (await registry).getMetricsAsJSON()) as unknown as Metric[];
  return metrics.map((metric) => {
    if (metric.name === "process_start_time_seconds") return { ...metric, aggregator: "min" };
    if (!eventLoopLag.test(metric.name)) return metric;
    const toLag = (seconds: number) => Math.max(0, seconds - lagResolution / 1_000);
    const values = metric.values.map((sample) => ({ ...sample, value: toLag(sample.value) }));
    return { ...metric, aggregator: "max", values };
  });
}

async function createRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: lagResolution });
  // Collecting this metric resets its window. It is removed from the registry and collected by a timer, because several
  // readers would each reset the window of the others.
  const lag = register.getSingleMetric("nodejs_eventloop_lag_seconds") as unknown as { collect(): void };
  setInterval(() => lag.collect(), lagWindow).unref();
  for (const { name } of register.getMetricsAsArray() as unknown as Metric[])
    if (omitted.test(name)) register.removeSingleMetric(name);
  return register;
}
