// Counts calls by API key over the last hour, and calls of deprecated operations.
import { counter, gauge, type Metric } from "../lib/index.ts";

const maxNames = 1_000; // counted per interval, and exported as series; further names are counted as `otherName`
const otherName = "(other)"; // not a valid name of a key
const maxIntervals = 361; // one hour and the current interval
const recentIntervals = 7; // one minute and the current interval
const activePeriod = 300_000; // milliseconds
const topCount = 10;

interface Interval {
  readonly start: number;
  readonly calls: Map<string, number>;
}

/** Counts calls by the name of the key, in intervals. Times are milliseconds of a monotonic clock. */
export class CallerActivity {
  #intervals: Interval[];
  readonly #lastCalls = new Map<string, number>();
  readonly #deprecated = new Map<string, { operation: string; key: string; calls: number }>();

  /** Starts the first interval at `now`. */
  constructor(now: number) {
    this.#intervals = [{ start: now, calls: new Map() }];
  }

  /** Adds `count` calls of the key `name` to the current interval. */
  recordCalls(name: string, count: number, now: number): void {
    this.#lastCalls.set(name, now);
    const { calls } = this.#intervals.at(-1) as Interval;
    const counted = calls.has(name) || calls.size < maxNames ? name : otherName;
    calls.set(counted, count + (calls.get(counted) ?? 0));
  }

  /** Adds `count` calls of a deprecated operation. The name is empty for calls without a key. */
  recordDeprecatedCalls(operation: string, name: string, count: number): void {
    const toId = (key: string) => `${operation} ${key}`;
    const key = this.#deprecated.has(toId(name)) || this.#deprecated.size < maxNames ? name : otherName;
    const calls = count + (this.#deprecated.get(toId(key))?.calls ?? 0);
    this.#deprecated.set(toId(key), { operation, key, calls });
  }

  /** Starts the next interval at `now`, and removes the intervals older than an hour. */
  startInterval(now: number): void {
    this.#intervals = [...this.#intervals, { start: now, calls: new Map() }].slice(-maxIntervals);
  }

  /** Returns the ten most active keys: their calls in the last hour, and their calls per second in the last minute. */
  mostActive(now: number): { name: string; calls: number; rate: number }[] {
    const recent = this.#intervals.slice(-recentIntervals) as [Interval, ...Interval[]];
    const seconds = Math.max(now - recent[0].start, 1) / 1_000;
    const recentCalls = sumCalls(recent);
    return [...sumCalls(this.#intervals)]
      .sort(([, a], [, b]) => b - a)
      .slice(0, topCount)
      .map(([name, calls]) => {
        const rate = (recentCalls.get(name) ?? 0) / seconds;
        return { name, calls, rate: Math.round(rate * 1_000) / 1_000 };
      });
  }

  /** Returns the metrics of all keys. Removes keys that are no longer active. */
  metrics(now: number): Metric[] {
    for (const [name, at] of this.#lastCalls) if (now - at > activePeriod) this.#lastCalls.delete(name);
    const deprecated = [...this.#deprecated.values()];
    return [
      gauge("petstore_keys_active", "API keys that were used in the last five minutes.", this.#lastCalls.size),
      counter(
        "petstore_deprecated_calls_total",
        "Calls of deprecated operations by operation and name of the API key, which is (other) beyond 1,000 series.",
        deprecated.map(({ operation, key, calls }) => ({ labels: { operation, key }, value: calls })),
      ),
    ];
  }
}

function sumCalls(intervals: readonly Interval[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { calls } of intervals) for (const [name, count] of calls) sums.set(name, count + (sums.get(name) ?? 0));
  return sums;
}
