// What a store counts of itself: how long its database took for each question, and for how many calls each was.
import { Histogram, times } from "../histogram.ts";
import type { StoreFigures, StoreMethod } from "./store.ts";

const questionTimes = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, ...times]; // SQLite answers in microseconds
const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096];

/** The figures of a store, and who counts them. */
export interface Counting extends StoreFigures {
  /** The database has answered, or failed, what it was asked for `method` at the time `since` (performance.now). */
  asked(method: StoreMethod, since: number): void;
  /** So many calls of `method` went together as one. */
  joined(method: StoreMethod, calls: number): void;
}

/** Figures that begin with nothing. `pool`: the connections, where there is more than one. */
export function countQuestions(pool: StoreFigures["pool"] = () => undefined): Counting {
  const seconds = new Map<StoreMethod, Histogram>();
  const calls = new Map<StoreMethod, Histogram>();
  const observe = (all: typeof seconds, method: StoreMethod, bounds: readonly number[], value: number) => {
    const known = all.get(method) ?? new Histogram(bounds);
    if (!all.has(method)) all.set(method, known);
    known.observe(value);
  };
  return {
    seconds,
    calls,
    pool,
    asked: (method, since) => observe(seconds, method, questionTimes, (performance.now() - since) / 1_000),
    joined: (method, count) => observe(calls, method, sizes, count),
  };
}
