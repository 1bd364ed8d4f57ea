// Metrics in the form that prom-client aggregates and serializes. Each module registers its own, and counts in plain
// numbers, which are read when the metrics are collected.
//
// Not prom-client's own metrics: with labels, they take a microsecond per observation, which each request would pay
// several times.

/** A value of a metric, with its labels. */
export interface Sample {
  /** The name of the series, if it is not the name of the metric: that of a histogram's bucket, sum or count. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric, and the rule by which prom-client aggregates the values of several processes. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly aggregator: "sum" | "first" | "min" | "max" | "average" | "omit";
  readonly values: readonly Sample[];
}

/** Creates a counter. */
export function counter(name: string, help: string, values: readonly Sample[]): Metric {
  return { name, help, type: "counter", aggregator: "sum", values };
}

/** Creates a gauge of one value. */
export function gauge(
  name: string,
  help: string,
  value: number,
  labels: Sample["labels"] = {},
  aggregator: Metric["aggregator"] = "sum",
): Metric {
  return { name, help, type: "gauge", aggregator, values: [{ labels, value }] };
}

/** Creates a histogram. Prometheus' buckets are cumulative: each includes the counts of the ones below it. */
export function histogram(name: string, help: string, series: readonly [Sample["labels"], Histogram][]): Metric {
  const values = series.flatMap(([labels, { bounds, counts, sum }]) => {
    let total = 0;
    const buckets = counts.map((count, index) => {
      total += count;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? "+Inf" }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  });
  return { name, help, type: "histogram", aggregator: "sum", values };
}

/** The metrics of a process. */
export class MetricsRegistry {
  readonly #prefix: string;
  readonly #collectors: (() => readonly Metric[])[] = [];

  /** `prefix` begins the name of each metric. */
  constructor(prefix = "") {
    this.#prefix = prefix;
  }

  /** Registers a counter. `read` returns its value, or a value for each combination of labels. */
  counter(name: string, help: string, read: () => number | readonly Sample[]): void {
    this.#collectors.push(() => [counter(this.#prefix + name, help, toSamples(read()))]);
  }

  /** Registers a gauge. If `read` returns undefined, it does not exist. */
  gauge(name: string, help: string, read: () => number | undefined): void {
    this.#collectors.push(() => {
      const value = read();
      return value === undefined ? [] : [gauge(this.#prefix + name, help, value)];
    });
  }

  /** Registers a constant gauge of value 1, whose information is in its labels. It is the same in all processes. */
  info(name: string, help: string, labels: Sample["labels"]): void {
    this.#collectors.push(() => [gauge(this.#prefix + name, help, 1, labels, "first")]);
  }

  /** Registers a histogram. `read` returns one for each combination of labels. */
  histogram(name: string, help: string, read: () => readonly [Sample["labels"], Histogram][]): void {
    this.#collectors.push(() => [histogram(this.#prefix + name, help, read())]);
  }

  /** Returns the current values of all metrics, in the order of their registration. */
  collect(): Metric[] {
    return this.#collectors.flatMap((collect) => collect());
  }
}

function toSamples(value: number | readonly Sample[]): readonly Sample[] {
  return typeof value === "number" ? [{ labels: {}, value }] : value;
}

/** Returns the samples of a metric that have all of these labels. Empty if the metric does not exist. */
export function findSamples(metrics: readonly Metric[], name: string, labels: Sample["labels"] = {}): Sample[] {
  const values = metrics.find((metric) => metric.name === name)?.values ?? [];
  const wanted = Object.entries(labels);
  return values.filter((sample) => wanted.every(([label, value]) => sample.labels[label] === value));
}

/** Returns the sum of the samples that have all of these labels; 0 if there are none. */
export function sumSamples(metrics: readonly Metric[], name: string, labels?: Sample["labels"]): number {
  return findSamples(metrics, name, labels).reduce((sum, { value }) => sum + value, 0);
}

/** The upper bounds of latency buckets, in seconds: 0.5 ms to 5 s. */
export const latencyBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Counts values by bucket. The last count is of the values above all bounds. Counts are not cumulative. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  /** `bounds` are the inclusive upper bounds of the buckets, in ascending order. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array(bounds.length + 1).fill(0);
  }

  /** Adds a value. */
  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }
}

/**
 * Estimates the quantile `q` (0 to 1) of a histogram by linear interpolation within its bucket, as `histogram_quantile`
 * of Prometheus does. Returns the last bound if the quantile exceeds all bounds, and null if the histogram is empty.
 */
export function quantile(q: number, bounds: readonly number[], counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let rank = q * total; // within the current bucket
  for (const [bucket, upper] of bounds.entries()) {
    const count = counts[bucket] as number;
    const lower = bounds[bucket - 1] ?? 0;
    if (count > 0 && rank <= count) return lower + (upper - lower) * (rank / count);
    rank -= count;
  }
  return bounds.at(-1) as number;
}
