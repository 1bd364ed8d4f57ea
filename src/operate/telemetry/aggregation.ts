// Aggregates the metrics of all processes, so that any worker can respond to a scrape.
//
// The counters of exited processes stay in the sums, because Prometheus interprets a decreasing counter as a restart. For
// this reason, `AggregatorRegistry.clusterMetrics` of prom-client is not used: it sums the workers that respond to it. Its
// function that adds metrics is.

import { findSamples, latencyBuckets, type Metric, quantile, sumSamples } from "../../lib/index.ts";
import type { KeyActivity } from "../keys/key-usage.ts";
import { CallerActivity } from "./caller-activity.ts";

/** The metrics of a process, and its use of keys since the previous snapshot. */
export interface MetricsSnapshot extends KeyActivity {
  /** Counters start at 0 when the process starts. */
  readonly metrics: readonly Metric[];
}

/** The requests of all processes since the start of the service. */
export interface Totals {
  /** The start, in milliseconds since 1970. */
  readonly started: number;
  /** The number of responses by the class of their status, such as `2xx`. */
  readonly requests: Readonly<Record<string, number>>;
  /** Percentiles of their durations in milliseconds; null without requests. */
  readonly latency: { readonly p50: number | null; readonly p95: number | null };
}

/** The metrics of all processes. */
export interface AggregatedMetrics {
  /** Returns the metrics in Prometheus' text format. */
  metrics(): Promise<string>;
  totals(): Promise<Totals>;
}

/** A process's access to the aggregator of all processes. */
export interface AggregatorClient extends AggregatedMetrics {
  /** Replaces the metrics of this process. */
  update(snapshot: MetricsSnapshot): Promise<void>;
}

/** Aggregates the metrics of several processes. Any object can identify a process. */
export class Aggregator implements AggregatedMetrics {
  readonly #started = Date.now();
  readonly #running = new Map<object, readonly Metric[]>();
  readonly #name: string;
  readonly #callers: CallerActivity;
  #exited: Promise<readonly Metric[]> = Promise.resolve([]); // the sum of their counters

  /** `name` is that of the service, with which the names of its metrics begin. */
  constructor(name: string) {
    this.#name = name;
    this.#callers = new CallerActivity(name);
  }

  /** Replaces the metrics of a process, and adds its use of keys. */
  update(process: object, { metrics, keys, deprecated }: MetricsSnapshot): void {
    this.#running.set(process, [...metrics]); // throws if a worker of another version sends something else
    for (const name of keys) this.#callers.recordUse(name);
    for (const call of deprecated) this.#callers.recordDeprecatedCalls(...call);
  }

  /** Removes the gauges of a process that exited. Its counters stay. Rejects, and drops them, if they can't be added. */
  async remove(process: object): Promise<void> {
    const metrics = this.#running.get(process) ?? [];
    const counters = metrics.filter(({ type }) => type === "counter" || type === "histogram");
    const before = this.#exited;
    const total = before.then(async (exited) => toArray(await aggregate([exited, counters])));
    this.#exited = total.catch(() => before);
    this.#running.delete(process);
    await total;
  }

  async metrics(): Promise<string> {
    return (await this.#aggregate()).metrics();
  }

  async totals(): Promise<Totals> {
    const metrics = toArray(await this.#aggregate());
    const requests: Record<string, number> = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 };
    for (const { labels, value } of findSamples(metrics, `${this.#name}_requests_total`)) {
      const statusClass = `${labels.status}`.replace(/..$/, "xx");
      requests[statusClass] = value + (requests[statusClass] ?? 0);
    }
    return { started: this.#started, requests, latency: this.#readLatency(metrics) };
  }

  #readLatency(metrics: readonly Metric[]): Totals["latency"] {
    const name = `${this.#name}_request_duration_seconds`;
    const totals = [...latencyBuckets, "+Inf"].map((le) => sumSamples(metrics, name, { le }));
    const counts = totals.map((total, index) => total - (totals[index - 1] ?? 0)); // buckets are cumulative
    const read = (part: number) => {
      const seconds = quantile(part, latencyBuckets, counts);
      return seconds === null ? null : Math.round(seconds * 1e6) / 1e3;
    };
    return { p50: read(0.5), p95: read(0.95) };
  }

  // Reads both before it awaits, so that a process that exits meanwhile is in exactly one of them.
  async #aggregate() {
    const [exited, running] = [this.#exited, [...this.#running.values()]];
    return aggregate([await exited, ...running, this.#callers.metrics()]);
  }
}

// prom-client is loaded on first use, because loading it takes 5 % of the start.
async function aggregate(processes: readonly (readonly Metric[])[]) {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate(processes.map((metrics) => [...metrics]));
}

function toArray(registry: Awaited<ReturnType<typeof aggregate>>): readonly Metric[] {
  return registry.getMetricsAsArray() as unknown as Metric[];
}

/** Creates the client of the only process of a service. */
export function aggregateLocally(name: string): AggregatorClient {
  const aggregator = new Aggregator(name);
  const process = {};
  return {
    update: async (snapshot) => aggregator.update(process, snapshot),
    metrics: () => aggregator.metrics(),
    totals: () => aggregator.totals(),
  };
}
