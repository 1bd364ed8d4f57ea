// The figures of all processes in one place, so that whichever is asked tells the same. Of a process that is gone
// the counters stay: a total that drops is a restart to Prometheus.

import { CallerActivity } from "./caller-activity.ts";
import type { MetricsSnapshot } from "./metrics.ts";
import type { Metric } from "./process-metrics.ts";
import { createTimeSeries, type LastHour, sumOf } from "./time-series.ts";
/** The last hour, and what is now, of all processes. */
export interface Overview extends Omit<LastHour, "store"> {
  /** When the service was started, in milliseconds since 1970. */
  readonly started: number;
  /** Seconds between two points. */
  readonly step: number;
  readonly store: LastHour["store"] & { readonly pool: { used: number; waiting: number; size: number } | null };
  readonly keys: readonly { readonly name: string; readonly calls: number; readonly rate: number }[];
}

/** What is known of all processes. */
export interface AggregatedMetrics {
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
  overview(): Promise<Overview>;
}

/** Where a process puts its figures, and asks for those of all. */
export interface MetricsHub extends AggregatedMetrics {
  publish(snapshot: MetricsSnapshot): Promise<void>;
  /** No more is asked for. */
  close(): void;
}

/** Figures of several processes, each by an object that stands for it. */
export interface Aggregator extends AggregatedMetrics {
  update(process: object, snapshot: MetricsSnapshot): void;
  /** The process is gone. */
  remove(process: object): void;
  close(): void;
}

/** The clocks and the timer that make the points of the history. */
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

/** Gathers figures, and makes a point of the history each `step` milliseconds, or tells why it can't. */
export function createAggregator(tell: (error: unknown) => void, step = 10_000, clock = systemClock): Aggregator {
  const started = clock.now();
  const latest = new Map<object, readonly Metric[]>();
  const gone: (readonly Metric[])[] = [];
  const callers = new CallerActivity(clock.elapsed());
  const history = createTimeSeries({ at: started, clock: clock.elapsed(), metrics: [] });

  const read = async () => {
    const [at, elapsed] = [clock.now(), clock.elapsed()];
    return { at, clock: elapsed, metrics: await addUp([...gone, ...latest.values(), callers.metrics(elapsed)]) };
  };
  const describe = async (): Promise<Overview> => {
    const now = await read();
    const pool = (name: string) => sumOf(now.metrics, `petstore_store_pool_${name}`);
    const [used, waiting, size] = [pool("connections_used"), pool("waiting"), pool("connections_max")];
    const { store, ...hour } = history.list(now);
    return {
      started,
      step: step / 1_000,
      ...hour,
      store: { ...store, pool: size === 0 ? null : { used, waiting, size } },
      keys: callers.mostActive(now.clock),
    };
  };
  const makePoint = async () => {
    callers.step(clock.elapsed());
    const before = [...gone];
    gone.splice(0, before.length, await addUp(before)); // more may have come behind them
    history.add(await read());
  };
  const end = clock.every(step, () => makePoint().catch(tell));
  return {
    update(process, { metrics, calls, deprecated }) {
      latest.set(process, [...metrics]);
      for (const [name, count] of calls) callers.recordCalls(name, count, clock.elapsed());
      for (const call of deprecated) callers.recordDeprecatedCalls(...call);
    },
    remove(process) {
      gone.push((latest.get(process) ?? []).filter(({ type }) => type === "counter" || type === "histogram"));
      latest.delete(process);
    },
    metrics: async () => (await aggregate([(await read()).metrics])).metrics(),
    overview: describe,
    close: end,
  };
}

// Counters are summed, and of gauges what makes sense for each.
async function addUp(all: readonly (readonly Metric[])[]): Promise<readonly Metric[]> {
  return (await aggregate(all)).getMetricsAsArray() as unknown as Metric[];
}

async function aggregate(all: readonly (readonly Metric[])[]) {
  const { AggregatorRegistry } = await import("prom-client"); // not before it is of use: it takes a twentieth of a start
  return AggregatorRegistry.aggregate(all.map((one) => [...one]));
}

/** The figures of a service of one process, this one. */
export function aggregateLocally(tell: (error: unknown) => void, step?: number, clock?: Clock): MetricsHub {
  const gathering = createAggregator(tell, step, clock);
  const here = {};
  return { ...gathering, publish: async (snapshot) => gathering.update(here, snapshot) };
}
