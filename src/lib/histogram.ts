// How values are distributed, counted into plain arrays: to count one costs a few nanoseconds, where a
// metric with labels costs a microsecond. Prometheus reads the same buckets.

/** The upper bounds of buckets for times, in seconds: from half a millisecond to five seconds. */
export const latencyBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Values by size: how many are up to each bound and above the one before, and, last, above all. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  /** `bounds` in ascending order. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array(bounds.length + 1).fill(0);
  }

  /** Counts a value. */
  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }
}

/**
 * The value that a part (0 to 1) of all do not exceed, as Prometheus estimates it: as if they lay evenly within their
 * bucket; the last bound where it is above all. Null where nothing was counted.
 */
export function quantile(part: number, bounds: readonly number[], counts: readonly number[]): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let rank = part * all;
  for (const [bucket, bound] of bounds.entries()) {
    const [count, least] = [counts[bucket] as number, bounds[bucket - 1] ?? 0];
    if (count > 0 && rank <= count) return least + (bound - least) * (rank / count);
    rank -= count;
  }
  return bounds.at(-1) as number;
}
