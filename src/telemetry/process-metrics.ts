// What prom-client tells of the process itself: processor, memory, garbage, the event loop. Its own metrics with
// labels are too dear for each request (src/telemetry/metrics.ts has those).
import type { Registry } from "prom-client";

/** One value, of the metric itself or of one of its parts. */
export interface Value {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric, in the form in which prom-client adds up those of several processes. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly aggregator: "sum" | "first" | "min" | "max" | "average" | "omit";
  readonly values: readonly Value[];
}

const resolution = 10; // milliseconds between two looks at the event loop, which Node does not take off the delay
const lagEvery = 10_000;

// What takes long to count where there are many connections, which have a metric of their own; how long one turn
// took just now; and what is no number where nothing was recorded.
const left = /^nodejs_(active_|eventloop_lag_((min|mean|stddev)_)?seconds$)/;
const lag = /^nodejs_eventloop_lag_/;

let shared: Promise<Registry> | undefined;

/** The metrics of this process. What the event loop waited for is of the last whole ten seconds. */
export async function collectProcessMetrics(): Promise<Metric[]> {
  shared ??= collect();
  const metrics = (await (await shared).getMetricsAsJSON()) as unknown as Metric[];
  return metrics.map((metric) => {
    if (metric.name === "process_start_time_seconds") return { ...metric, aggregator: "min" };
    if (!lag.test(metric.name)) return metric;
    const values = metric.values.map((one) => ({ ...one, value: Math.max(0, one.value - resolution / 1_000) }));
    return { ...metric, aggregator: "max", values };
  });
}

async function collect(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: resolution });
  // Who reads it begins anew, and here more than one reads.
  const loop = register.getSingleMetric("nodejs_eventloop_lag_seconds") as unknown as { collect(): void };
  setInterval(() => loop.collect(), lagEvery).unref();
  for (const { name } of register.getMetricsAsArray() as unknown as Metric[])
    if (left.test(name)) register.removeSingleMetric(name);
  return register;
}
