// Counts the queries of a store: their duration, and the calls that each batch serves.
import { Histogram, latencyBuckets } from "../lib/index.ts";
import type { PoolMetrics, StoreMethod, StoreMetrics } from "./port.ts";

const queryBuckets = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, ...latencyBuckets]; // a read of SQLite takes microseconds
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096];

/** Histograms of the queries of one store, by method. */
export class QueryMetrics implements StoreMetrics {
  readonly querySeconds = new Map<StoreMethod, Histogram>();
  readonly batchCalls = new Map<StoreMethod, Histogram>();
  readonly pool: () => PoolMetrics | undefined;

  /** `pool` returns the state of the connection pool. */
  constructor(pool: () => PoolMetrics | undefined = () => undefined) {
    this.pool = pool;
  }

  /** Counts a query of `method` that began at `start` (performance.now) and has just ended, with or without success. */
  observeQuery(method: StoreMethod, start: number): void {
    observe(this.querySeconds, method, queryBuckets, (performance.now() - start) / 1_000);
  }

  /** Records the number of calls in a batch of `method`. */
  observeBatch(method: StoreMethod, calls: number): void {
    observe(this.batchCalls, method, batchBuckets, calls);
  }
}

function observe(
  histograms: Map<StoreMethod, Histogram>,
  method: StoreMethod,
  bounds: readonly number[],
  value: number,
): void {
  let histogram = histograms.get(method);
  if (histogram === undefined) {
    histogram = new Histogram(bounds);
    histograms.set(method, histogram);
  }
  histogram.observe(value);
}
