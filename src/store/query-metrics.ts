// What a store counts of itself: how long its database took for each question, and for how many calls each was.

import { Histogram, latencyBuckets } from "../lib/index.ts";
import type { StoreMethod, StoreMetrics } from "./port.ts";

const questionTimes = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, ...latencyBuckets]; // SQLite answers in microseconds
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096];

/** The figures of a store, and who counts them. */
export interface QueryMetrics extends StoreMetrics {
  /** The database has answered, or failed, what it was asked for `method` at the time `since` (performance.now). */
  observeQuery(method: StoreMethod, since: number): void;
  /** So many calls of `method` went together as one. */
  observeBatch(method: StoreMethod, calls: number): void;
}

/** Figures that begin with nothing. `pool`: the connections, where there is more than one. */
export function createQueryMetrics(pool: StoreMetrics["pool"] = () => undefined): QueryMetrics {
  const seconds = new Map<StoreMethod, Histogram>();
  const calls = new Map<StoreMethod, Histogram>();
  const observe = (all: typeof seconds, method: StoreMethod, bounds: readonly number[], value: number) => {
    const known = all.get(method) ?? new Histogram(bounds);
    if (!all.has(method)) all.set(method, known);
    known.observe(value);
  };
  return {
    querySeconds: seconds,
    batchCalls: calls,
    pool,
    observeQuery: (method, since) => observe(seconds, method, questionTimes, (performance.now() - since) / 1_000),
    observeBatch: (method, count) => observe(calls, method, sizes, count),
  };
}
