// Counts the queries of a store: their duration, and the calls that each batch serves.
import { Histogram, latencyBuckets, type MetricsRegistry } from "../../lib/index.ts";
import type { StoreMethod, StoreMetrics } from "../port.ts";

const queryBuckets = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, ...latencyBuckets]; // a read of SQLite takes microseconds
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096];

/** The connections of a pool that are in use, idle, and allowed at most, and the number of queries that wait for one. */
interface PoolState {
  readonly used: number;
  readonly idle: number;
  readonly max: number;
  readonly waiting: number;
}

/** Histograms of the queries of one store, by method. */
export class QueryMetrics implements StoreMetrics {
  readonly #querySeconds: Histograms = new Map();
  readonly #batchCalls: Histograms = new Map();
  readonly #pool: () => PoolState | undefined;

  /** `pool` returns the state of the connection pool. */
  constructor(pool: () => PoolState | undefined = () => undefined) {
    this.#pool = pool;
  }

  register(registry: MetricsRegistry): void {
    registry.histogram(
      "store_query_duration_seconds",
      "Duration of database statements and transactions, by store method.",
      () => toSeries(this.#querySeconds),
    );
    registry.histogram(
      "store_batch_size",
      "Calls that shared a database statement or transaction, by store method.",
      () => toSeries(this.#batchCalls),
    );
    const pool = (name: string, help: string, key: keyof PoolState) =>
      registry.gauge(`store_pool_${name}`, help, () => this.#pool()?.[key]);
    pool("connections_used", "Database connections in use.", "used");
    pool("connections_idle", "Idle database connections.", "idle");
    pool("connections_max", "Maximum number of database connections.", "max");
    pool("queries_waiting", "Queries that wait for a database connection.", "waiting");
  }

  /** Counts a query of `method` that began at `start` (performance.now) and has just ended, with or without success. */
  observeQuery(method: StoreMethod, start: number): void {
    observe(this.#querySeconds, method, queryBuckets, (performance.now() - start) / 1_000);
  }

  /** Records the number of calls in a batch of `method`. */
  observeBatch(method: StoreMethod, calls: number): void {
    observe(this.#batchCalls, method, batchBuckets, calls);
  }
}

type Histograms = Map<StoreMethod, Histogram>;

function toSeries(histograms: Histograms): [{ method: string }, Histogram][] {
  return [...histograms].map(([method, histogram]) => [{ method }, histogram]);
}

function observe(histograms: Histograms, method: StoreMethod, bounds: readonly number[], value: number): void {
  let histogram = histograms.get(method);
  if (histogram === undefined) {
    histogram = new Histogram(bounds);
    histograms.set(method, histogram);
  }
  histogram.observe(value);
}
