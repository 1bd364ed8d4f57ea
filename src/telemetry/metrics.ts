// The metrics of this process, and the snapshots of them that the processes of a service exchange.
import type { KeyUsage } from "../auth/index.ts";
import type { ClosedConnections } from "../http/index.ts";
import type { StoreMetrics } from "../store/index.ts";
import { collectProcessMetrics } from "./process-metrics.ts";
import { counter, gauge, histogram, type Metric } from "./prometheus.ts";
import { type RequestMetrics, statusClasses } from "./request-metrics.ts";

/** The metrics of a process, and its calls since the previous snapshot. */
export interface MetricsSnapshot {
  /** Counters start at 0 when the process starts. */
  readonly metrics: readonly Metric[];
  readonly calls: readonly (readonly [key: string, count: number])[];
  /** Calls of deprecated operations. The name of the key is empty for calls without one. */
  readonly deprecated: readonly (readonly [operation: string, key: string, count: number])[];
}

/** The sources of a snapshot. */
export interface MetricsSources {
  readonly requestMetrics: RequestMetrics;
  readonly store: StoreMetrics;
  readonly versions: { readonly version: string; readonly contract: string };
  readonly usage: Pick<KeyUsage, "drainCalls">;
  /** Returns the number of requests without a complete response. */
  inFlight(): number;
  /** Returns the number of requests that wait because the event loop is busy. */
  queued(): number;
  /** Returns the number of open client connections. */
  connections(): Promise<number>;
  /** The number of connections that the service has closed, by reason. */
  readonly closedConnections: ClosedConnections;
  /** Returns the number of response bytes that clients have not read. */
  unread(): number;
}

/** Creates a function that takes a snapshot. It drains the calls from `usage`. */
export function createSnapshotReader(sources: MetricsSources): () => Promise<MetricsSnapshot> {
  const { requestMetrics, store, versions, usage } = sources;
  return async () => {
    const [processMetrics, connections] = [await collectProcessMetrics(), await sources.connections()];
    // Nothing below may await: of two concurrent snapshots, the one that completes last must have the newest values.
    const { keys, deprecated } = usage.drainCalls();
    return {
      metrics: [
        ...describeRequests(requestMetrics),
        gauge(
          "petstore_requests_in_flight",
          "Requests without a complete response, including this scrape.",
          sources.inFlight(),
        ),
        gauge("petstore_requests_queued", "Requests that wait because the event loop is busy.", sources.queued()),
        gauge("petstore_connections_open", "Open client connections.", connections),
        counter(
          "petstore_connections_closed_total",
          "Client connections that the service closed, by reason (client, total, memory, pipelining or slow).",
          Object.entries(sources.closedConnections).map(([reason, value]) => ({ labels: { reason }, value })),
        ),
        gauge("petstore_response_bytes_unread", "Response bytes that clients have not read yet.", sources.unread()),
        ...describeStore(store),
        ...describePool(store.pool()),
        gauge(
          "petstore_build_info",
          "Constant 1, with the versions of the service and of its OpenAPI document as labels.",
          1,
          { ...versions },
          "first",
        ),
        ...processMetrics,
      ],
      calls: [...keys].filter(([, count]) => count > 0),
      deprecated: [...deprecated].flatMap(([operation, keys]) =>
        [...keys].map(([key, count]) => [operation, key, count] as const),
      ),
    };
  };
}

function describeRequests({ operations, rejected, droppedLogLines }: RequestMetrics): Metric[] {
  const responses = [...operations].flatMap(([operation, { responses }]) =>
    [...responses].flatMap(([method, counts]) =>
      statusClasses.map((status, index) => ({ labels: { operation, method, status }, value: counts[index] as number })),
    ),
  );
  return [
    counter(
      "petstore_requests_total",
      "HTTP requests by operation (other if none matches), method and status class.",
      responses,
    ),
    histogram(
      "petstore_request_duration_seconds",
      "Time from the headers of a request to the last byte of its response, by operation.",
      [...operations].map(([operation, { durations }]) => [{ operation }, durations]),
    ),
    counter(
      "petstore_requests_rejected_total",
      "Requests that load shedding rejected because they had waited too long or the memory was full.",
      [{ labels: {}, value: rejected }],
    ),
    counter(
      "petstore_log_lines_dropped_total",
      "Log lines dropped at more than 100 per second: of malformed requests, of requests without a valid API key or rejected with 429 or 503, and of failures.",
      [{ labels: {}, value: droppedLogLines }],
    ),
  ];
}

function describeStore({ querySeconds, batchCalls }: StoreMetrics): Metric[] {
  return [
    histogram(
      "petstore_store_query_duration_seconds",
      "Duration of database statements and transactions, by store method.",
      [...querySeconds].map(([method, seconds]) => [{ method }, seconds]),
    ),
    histogram(
      "petstore_store_batch_size",
      "Calls that shared a database statement or transaction, by store method.",
      [...batchCalls].map(([method, calls]) => [{ method }, calls]),
    ),
  ];
}

function describePool(pool: ReturnType<StoreMetrics["pool"]>): Metric[] {
  if (pool === undefined) return [];
  return [
    gauge("petstore_store_pool_connections_used", "Database connections in use.", pool.used),
    gauge("petstore_store_pool_connections_idle", "Idle database connections.", pool.idle),
    gauge("petstore_store_pool_connections_max", "Maximum number of database connections.", pool.max),
    gauge("petstore_store_pool_queries_waiting", "Queries that wait for a database connection.", pool.waiting),
  ];
}
