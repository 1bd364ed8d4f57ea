// Keeps the time series of the last hour in memory: the rates and latencies of each interval.
import { findSamples, type Metric, quantile, sumSamples } from "../lib/index.ts";

const maxPoints = 361; // one hour of intervals of 10 seconds, with both ends
const recentPoints = 6; // over which current rates are computed: one minute

/** Requests and 5xx responses per second, and latencies in milliseconds; null without requests. */
export interface RateAndLatency {
  readonly rate: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

/** The metrics of all processes at one time. */
export interface TimeSeriesSample {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: number;
  readonly metrics: readonly Metric[];
}

/** Rates and latencies between two samples, and the gauges of the second one. */
interface Point {
  readonly at: number; // milliseconds since 1970
  readonly operations: ReadonlyMap<string, RateAndLatency>;
  readonly rejected: number; // 4xx responses per second
  readonly statuses: readonly { readonly status: string; readonly rate: number }[]; // 4xx and 5xx
  readonly store: Pick<RateAndLatency, "p50" | "p99">;
  readonly memory: number; // bytes
  readonly cpu: number; // cores in use
  readonly delay: number; // of the event loop, in milliseconds
  readonly inFlight: number;
}

/** The points of the last hour as lists, all of the length of `times`. The names are those of /status.json. */
export interface LastHour {
  /** Seconds since 1970. */
  readonly times: number[];
  readonly operations: {
    readonly id: string;
    /** Over the last minute. */
    readonly now: RateAndLatency;
    readonly rate: number[];
    readonly p50: RateAndLatency["p50"][];
    readonly p99: RateAndLatency["p99"][];
  }[];
  /** 4xx responses per second. */
  readonly rejected: number[];
  /** 5xx responses per second. */
  readonly failed: number[];
  /** The responses per second with each status of 4xx and 5xx, over the last minute. */
  readonly statuses: { readonly status: string; readonly rate: number }[];
  /** Durations of database queries, in milliseconds. */
  readonly store: { readonly p50: RateAndLatency["p50"][]; readonly p99: RateAndLatency["p99"][] };
  /** CPU cores in use, resident memory in bytes, the event loop's lag in milliseconds, and the requests in progress. */
  readonly process: {
    readonly cpu: number[];
    readonly memory: number[];
    readonly delay: number[];
    readonly inFlight: number[];
  };
}

/** Derives rates and latencies from successive samples. */
export class TimeSeries {
  readonly #points: Point[] = [];
  #recent: [TimeSeriesSample, ...TimeSeriesSample[]]; // the samples of the last minute, oldest first

  /** `first` is the start of the first point. */
  constructor(first: TimeSeriesSample) {
    this.#recent = [first];
  }

  /** Adds the point between the previous sample and this one. */
  add(sample: TimeSeriesSample): void {
    // The clock was set back: existing points would lie in the future.
    if (sample.at <= (this.#points.at(-1)?.at ?? 0)) this.#points.length = 0;
    this.#points.push(compare(this.#recent.at(-1) as TimeSeriesSample, sample));
    if (this.#points.length > maxPoints) this.#points.shift();
    this.#recent = [...this.#recent, sample].slice(-recentPoints - 1) as [TimeSeriesSample, ...TimeSeriesSample[]];
  }

  /** Returns all points. Current rates are those of the last minute before `sample`. */
  list(sample: TimeSeriesSample): LastHour {
    const current = compare(this.#recent[0], sample);
    const all = <T>(read: (point: Point) => T) => this.#points.map(read);
    return {
      times: all(({ at }) => Math.round(at / 1_000)),
      operations: [...current.operations].map(([id, now]) => {
        const series = all(({ operations }) => operations.get(id));
        return {
          id,
          now,
          rate: series.map((point) => point?.rate ?? 0),
          p50: series.map((point) => point?.p50 ?? null),
          p99: series.map((point) => point?.p99 ?? null),
        };
      }),
      rejected: all(({ rejected }) => rejected),
      failed: all(({ operations }) => round([...operations.values()].reduce((sum, { failed }) => sum + failed, 0))),
      statuses: [...current.statuses],
      store: { p50: all(({ store }) => store.p50), p99: all(({ store }) => store.p99) },
      process: {
        cpu: all(({ cpu }) => cpu),
        memory: all(({ memory }) => memory),
        delay: all(({ delay }) => delay),
        inFlight: all(({ inFlight }) => inFlight),
      },
    };
  }
}

function compare(before: TimeSeriesSample, after: TimeSeriesSample): Point {
  const { metrics } = after;
  const requests = "petstore_requests_total";
  const seconds = Math.max(after.elapsed - before.elapsed, 1) / 1_000;
  const count = (all: readonly Metric[], operation: string | undefined, statusClass: string) =>
    findSamples(all, requests, operation === undefined ? {} : { operation })
      .filter(({ labels }) => String(labels.status).startsWith(statusClass))
      .reduce((sum, { value }) => sum + value, 0);
  const rate = (operation: string | undefined, statusClass = "") =>
    round((count(metrics, operation, statusClass) - count(before.metrics, operation, statusClass)) / seconds);
  const latencies = (name: string, labels: Record<string, string>) =>
    compareHistograms(readBuckets(before.metrics, name, labels), readBuckets(metrics, name, labels));
  const statuses = [...new Set(findSamples(metrics, requests).map(({ labels }) => String(labels.status)))]
    .filter((status) => /^[45]/.test(status))
    .map((status) => ({ status, rate: rate(undefined, status) }));
  const cpu = (all: readonly Metric[]) => sumSamples(all, "process_cpu_seconds_total");
  const ids = new Set(findSamples(metrics, requests).map(({ labels }) => String(labels.operation)));
  const operations = [...ids].map((operation) => {
    const rates = { rate: rate(operation), failed: rate(operation, "5") };
    return [operation, { ...rates, ...latencies("petstore_request_duration_seconds", { operation }) }] as const;
  });
  return {
    at: after.at,
    operations: new Map(operations),
    rejected: rate(undefined, "4"),
    statuses: statuses.filter(({ rate }) => rate > 0).sort((a, b) => b.rate - a.rate),
    cpu: Math.max(0, round((cpu(metrics) - cpu(before.metrics)) / seconds)),
    store: latencies("petstore_store_query_duration_seconds", {}),
    memory: sumSamples(metrics, "process_resident_memory_bytes"),
    delay: round(sumSamples(metrics, "nodejs_eventloop_lag_p99_seconds") * 1_000),
    inFlight: sumSamples(metrics, "petstore_requests_in_flight"),
  };
}

type Buckets = ReadonlyMap<number, number>; // cumulative counts by upper bound

// Estimates the quantiles, in milliseconds, of the observations between two states of a histogram.
function compareHistograms(before: Buckets, after: Buckets): Pick<RateAndLatency, "p50" | "p99"> {
  const cumulative = [...after].sort(([a], [b]) => a - b);
  const totals = cumulative.map(([bound, total]) => total - (before.get(bound) ?? 0));
  const counts = totals.map((total, index) => total - (totals[index - 1] ?? 0));
  const bounds = cumulative.map(([bound]) => bound).filter(Number.isFinite);
  const read = (part: number) => {
    const seconds = quantile(part, bounds, counts);
    return seconds === null ? null : round(seconds * 1_000);
  };
  return { p50: read(0.5), p99: read(0.99) };
}

function readBuckets(metrics: readonly Metric[], name: string, filter: Record<string, string>): Buckets {
  const buckets = new Map<number, number>();
  for (const { metricName, labels, value } of findSamples(metrics, name, filter)) {
    if (!metricName?.endsWith("_bucket")) continue;
    const bound = labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le);
    buckets.set(bound, value + (buckets.get(bound) ?? 0));
  }
  return buckets;
}

// To thousandths, so that /status.json stays small.
function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
