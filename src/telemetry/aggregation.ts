// Aggregates the metrics of all processes, so that any worker can respond to a scrape.
//
// The counters of exited processes stay in the sums, because Prometheus interprets a decreasing counter as a restart.

import { type Metric, sumSamples } from "../lib/index.ts";
import { CallerActivity } from "./caller-activity.ts";
import { type RecentFailure, RecentFailures } from "./recent-failures.ts";
import type { MetricsSnapshot } from "./snapshot.ts";
import { type LastHour, TimeSeries, type TimeSeriesSample } from "./time-series.ts";

/** The last hour and the current state of all processes, as in /status.json. */
export interface Overview extends Omit<LastHour, "store"> {
  /** When the service started, in milliseconds since 1970. */
  readonly started: number;
  /** The interval of the time series, in seconds. */
  readonly step: number;
  readonly store: LastHour["store"] & { readonly pool: { used: number; waiting: number; size: number } | null };
  readonly keys: readonly { readonly name: string; readonly calls: number; readonly rate: number }[];
  /** The latest failures, the latest first. */
  readonly failures: readonly RecentFailure[];
}

/** The metrics of all processes. */
export interface AggregatedMetrics {
  /** Returns the metrics in Prometheus' text format. */
  metrics(): Promise<string>;
  overview(): Promise<Overview>;
}

/** A process's access to the aggregator of all processes. */
export interface AggregatorClient extends AggregatedMetrics {
  /** Replaces the metrics of this process. */
  update(snapshot: MetricsSnapshot): Promise<void>;
  close(): void;
}

/** The clocks and the timer of the time series. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Returns milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Runs `work` every `ms` milliseconds until the returned function is called. */
  every(ms: number, work: () => Promise<void>): () => void;
}

const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  every(ms, work) {
    const timer = setInterval(work, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Aggregates the metrics of several processes. Any object can identify a process. */
export class Aggregator implements AggregatedMetrics {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #started: number;
  readonly #running = new Map<object, readonly Metric[]>();
  readonly #exited: (readonly Metric[])[] = [];
  readonly #callers: CallerActivity;
  readonly #history: TimeSeries;
  readonly #failures = new RecentFailures();
  readonly #stopTimer: () => void;

  /** Adds a point to the time series every `interval` milliseconds. Calls `onError` if that fails. */
  constructor(onError: (error: unknown) => void, interval = 10_000, clock = systemClock) {
    this.#clock = clock;
    this.#interval = interval;
    this.#started = clock.now();
    this.#callers = new CallerActivity(clock.elapsed());
    this.#history = new TimeSeries({ at: this.#started, elapsed: clock.elapsed(), metrics: [] });
    this.#stopTimer = clock.every(interval, () => this.#addPoint().catch(onError));
  }

  /** Replaces the metrics of a process, and adds its calls. */
  update(process: object, { metrics, calls, deprecated, failures }: MetricsSnapshot): void {
    this.#failures.add(...failures);
    this.#running.set(process, [...metrics]); // throws if a worker of another version sends something else
    for (const [name, count] of calls) this.#callers.recordCalls(name, count, this.#clock.elapsed());
    for (const call of deprecated) this.#callers.recordDeprecatedCalls(...call);
  }

  /** Removes the gauges of a process that exited. Its counters stay. */
  remove(process: object): void {
    const metrics = this.#running.get(process) ?? [];
    this.#exited.push(metrics.filter(({ type }) => type === "counter" || type === "histogram"));
    this.#running.delete(process);
  }

  async metrics(): Promise<string> {
    return (await aggregate([(await this.#sample()).metrics])).metrics();
  }

  async overview(): Promise<Overview> {
    const now = await this.#sample();
    const { store, ...lastHour } = this.#history.list(now);
    return {
      started: this.#started,
      step: this.#interval / 1_000,
      ...lastHour,
      store: { ...store, pool: readPool(now.metrics) },
      keys: this.#callers.mostActive(now.elapsed),
      failures: this.#failures.list(),
    };
  }

  close(): void {
    this.#stopTimer();
  }

  async #sample(): Promise<TimeSeriesSample> {
    const [at, elapsed] = [this.#clock.now(), this.#clock.elapsed()];
    const metrics = await sum([...this.#exited, ...this.#running.values(), this.#callers.metrics(elapsed)]);
    return { at, elapsed, metrics };
  }

  async #addPoint(): Promise<void> {
    this.#callers.startInterval(this.#clock.elapsed());
    await this.#compactExited();
    this.#history.add(await this.#sample());
  }

  // Merges the counters of exited processes into one list, so that it does not grow with each restart.
  async #compactExited(): Promise<void> {
    const batch = [...this.#exited];
    const total = await sum(batch);
    this.#exited.splice(0, batch.length, total); // not the whole list: more processes may have exited meanwhile
  }
}

function readPool(metrics: readonly Metric[]): Overview["store"]["pool"] {
  const read = (name: string) => sumSamples(metrics, `petstore_store_pool_${name}`);
  const size = read("connections_max");
  return size === 0 ? null : { used: read("connections_used"), waiting: read("queries_waiting"), size };
}

async function sum(processes: readonly (readonly Metric[])[]): Promise<readonly Metric[]> {
  return (await aggregate(processes)).getMetricsAsArray() as unknown as Metric[];
}

// prom-client is loaded on first use, because loading it takes 5 % of the start.
async function aggregate(processes: readonly (readonly Metric[])[]) {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate(processes.map((metrics) => [...metrics]));
}

/** Creates the client of the only process of a service. The parameters are those of `Aggregator`. */
export function aggregateLocally(...options: ConstructorParameters<typeof Aggregator>): AggregatorClient {
  const aggregator = new Aggregator(...options);
  const process = {};
  return {
    update: async (snapshot) => aggregator.update(process, snapshot),
    metrics: () => aggregator.metrics(),
    overview: () => aggregator.overview(),
    close: () => aggregator.close(),
  };
}
