// The last hour, in memory: points at equal distances, each with what happened since the one before.

import { quantile } from "../lib/index.ts";
import type { Metric } from "./process-metrics.ts";

const mostPoints = 361; // an hour of steps of ten seconds, and where it began
const recent = 6; // points that count as now: a minute
const digits = 1_000; // thousandths are enough

/** Calls a second, 5xx a second, and the milliseconds within which half of them were answered, and 99 of 100. */
export interface RateAndLatency {
  readonly rate: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

/** What was between two times, and what was at the second one. */
interface Point {
  readonly at: number; // milliseconds since 1970
  readonly operations: ReadonlyMap<string, RateAndLatency>;
  readonly refused: number; // 4xx a second
  readonly store: Pick<RateAndLatency, "p50" | "p99">;
  readonly memory: number; // bytes
  readonly delay: number; // milliseconds
  readonly inFlight: number;
}

interface Sample {
  readonly at: number; // milliseconds since 1970
  readonly clock: number; // milliseconds, by a clock that nobody sets
  readonly metrics: readonly Metric[];
}

/** The last hour as lists, all as long as `times`. */
export interface LastHour {
  readonly times: number[];
  readonly operations: {
    readonly id: string;
    readonly now: RateAndLatency;
    readonly rate: number[];
    readonly p50: RateAndLatency["p50"][];
    readonly p99: RateAndLatency["p99"][];
  }[];
  readonly refused: number[];
  readonly failed: number[];
  readonly store: { readonly p50: RateAndLatency["p50"][]; readonly p99: RateAndLatency["p99"][] };
  readonly process: { readonly memory: number[]; readonly delay: number[]; readonly inFlight: number[] };
}

/** What becomes of the figures in an hour. Metrics are those of all processes. */
export interface TimeSeries {
  /** Makes the next point. */
  add(sample: Sample): void;
  /** All points; what is now is reckoned up to `sample`. */
  list(sample: Sample): LastHour;
}

/** A history that begins with `first`. */
export function createTimeSeries(first: Sample): TimeSeries {
  const points: Point[] = [];
  let samples: [Sample, ...Sample[]] = [first]; // where each of the recent points began
  return {
    add(sample) {
      // Where somebody has set the clock back, what was before would lie in the future.
      if (sample.at <= (points.at(-1)?.at ?? 0)) points.length = 0;
      points.push(compare(samples.at(-1) as Sample, sample));
      if (points.length > mostPoints) points.shift();
      samples = [...samples, sample].slice(-recent - 1) as typeof samples;
    },
    list(sample) {
      const now = compare(samples[0], sample);
      const all = <T>(read: (point: Point) => T) => points.map(read);
      const ids = [...now.operations.keys()];
      const failed = ({ operations }: Point) =>
        round([...operations.values()].reduce((sum, one) => sum + one.failed, 0));
      return {
        times: all(({ at }) => Math.round(at / 1_000)),
        operations: ids.map((id) => {
          const paces = all(({ operations }) => operations.get(id));
          return {
            id,
            now: now.operations.get(id) as RateAndLatency,
            rate: paces.map((pace) => pace?.rate ?? 0),
            p50: paces.map((pace) => pace?.p50 ?? null),
            p99: paces.map((pace) => pace?.p99 ?? null),
          };
        }),
        refused: all(({ refused }) => refused),
        failed: all(failed),
        store: { p50: all(({ store }) => store.p50), p99: all(({ store }) => store.p99) },
        process: {
          memory: all(({ memory }) => memory),
          delay: all(({ delay }) => delay),
          inFlight: all(({ inFlight }) => inFlight),
        },
      };
    },
  };
}

function compare(before: Sample, { at, clock, metrics }: Sample): Point {
  const seconds = Math.max(clock - before.clock, 1) / 1_000;
  const requests = "petstore_requests_total";
  const rate = (labels: Record<string, string>) =>
    round((sumOf(metrics, requests, labels) - sumOf(before.metrics, requests, labels)) / seconds);
  const times = (name: string, labels: Record<string, string>) => {
    const old = buckets(before.metrics, name, labels);
    const upTo = [...buckets(metrics, name, labels)].sort(([a], [b]) => a - b);
    const counts = upTo.map(([bound, count]) => count - (old.get(bound) ?? 0));
    const own = counts.map((count, index) => count - (counts[index - 1] ?? 0));
    const bounds = upTo.map(([bound]) => bound).filter(Number.isFinite);
    const read = (part: number) => {
      const value = quantile(part, bounds, own);
      return value === null ? null : round(value * 1_000);
    };
    return { p50: read(0.5), p99: read(0.99) };
  };
  const ids = new Set(find(metrics, requests).map(({ labels }) => String(labels.operation)));
  const operations = [...ids].map((operation) => {
    const pace = { rate: rate({ operation }), failed: rate({ operation, status: "5xx" }) };
    return [operation, { ...pace, ...times("petstore_request_duration_seconds", { operation }) }] as const;
  });
  return {
    at,
    operations: new Map(operations),
    refused: rate({ status: "4xx" }),
    store: times("petstore_store_query_duration_seconds", {}),
    memory: sumOf(metrics, "process_resident_memory_bytes"),
    delay: round(sumOf(metrics, "nodejs_eventloop_lag_p99_seconds") * 1_000),
    inFlight: sumOf(metrics, "petstore_requests_in_flight"),
  };
}

function find(metrics: readonly Metric[], name: string, labels: Record<string, string> = {}) {
  const values = metrics.find((metric) => metric.name === name)?.values ?? [];
  return values.filter((value) => Object.entries(labels).every(([label, text]) => value.labels[label] === text));
}

/** The sum of a metric's values with these labels; 0 where there is none. */
export function sumOf(metrics: readonly Metric[], name: string, labels?: Record<string, string>): number {
  return find(metrics, name, labels).reduce((sum, { value }) => sum + value, 0);
}

// By upper bound, how many are up to it.
function buckets(metrics: readonly Metric[], name: string, labels: Record<string, string>): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { metricName, labels: own, value } of find(metrics, name, labels)) {
    const bound = own.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(own.le);
    if (metricName?.endsWith("_bucket")) sums.set(bound, value + (sums.get(bound) ?? 0));
  }
  return sums;
}

function round(value: number): number {
  return Math.round(value * digits) / digits;
}
