// The figures of this process by the names that Prometheus knows them by. Counters are since its start.

import type { KeyUsage } from "../auth/index.ts";
import type { Histogram } from "../lib/index.ts";
import type { StoreMetrics } from "../store/index.ts";
import { collectProcessMetrics, type Metric, type Value } from "./process-metrics.ts";
import { type RequestMetrics, statusClasses } from "./request-metrics.ts";
/** What a process knows now: its metrics; and the calls since the last time, by key, and of deprecated operations by key. */
export interface MetricsSnapshot {
  readonly metrics: readonly Metric[];
  readonly calls: readonly (readonly [key: string, count: number])[];
  readonly deprecated: readonly (readonly [operation: string, key: string, count: number])[];
}

/** What is read when somebody asks. */
export interface MetricsSources {
  readonly requestMetrics: RequestMetrics;
  readonly store: StoreMetrics;
  readonly versions: { readonly version: string; readonly contract: string };
  readonly usage: Pick<KeyUsage, "drainCalls">;
  inFlight(): number;
  connections(): Promise<number>;
}

/** Makes what reads the figures of this process. */
export function createSnapshotReader({
  requestMetrics,
  store,
  versions,
  usage,
  inFlight,
  connections,
}: MetricsSources) {
  return async (): Promise<MetricsSnapshot> => {
    const [runtime, open] = [await collectProcessMetrics(), await connections()];
    // From here on at once: of two that are asked for at the same time the later one must not be put before.
    const { keys, deprecated } = usage.drainCalls();
    const operations = [...requestMetrics.operations];
    const pool = store.pool();
    const metrics: Metric[] = [
      counter(
        "petstore_requests_total",
        "Requests that were answered, by operation (other: what is none, such as /docs or an unknown path), method and class of status.",
        operations.flatMap(([operation, { methods }]) =>
          [...methods].flatMap(([method, statuses]) =>
            statusClasses.map((status, index) => ({
              labels: { operation, method, status },
              value: statuses[index] as number,
            })),
          ),
        ),
      ),
      histogram(
        "petstore_request_duration_seconds",
        "Seconds from the head of a request to the last byte of its answer, by operation.",
        operations.map(([operation, { seconds }]) => [{ operation }, seconds]),
      ),
      gauge("petstore_requests_in_flight", "Requests that have no whole answer yet; who asks here is one.", inFlight()),
      gauge("petstore_connections_open", "Connections of clients.", open),
      counter(
        "petstore_overload_refusals_total",
        "Calls that were refused since there was no time or memory for them.",
        [{ labels: {}, value: requestMetrics.rejected }],
      ),
      histogram(
        "petstore_store_query_duration_seconds",
        "Seconds that the database took for one question, by the method that it was for: a statement, or the transaction of all that is written together. What the embedded store gives from memory is no question.",
        [...store.querySeconds].map(([method, seconds]) => [{ method }, seconds]),
      ),
      histogram(
        "petstore_store_batch_calls",
        "Calls that went together as one statement or in one transaction, by method.",
        [...store.batchCalls].map(([method, calls]) => [{ method }, calls]),
      ),
      gauge("petstore_build_info", "The version of the service, and of its contract.", 1, { ...versions }, "first"),
    ];
    if (pool)
      metrics.push(
        gauge("petstore_store_pool_connections_used", "Connections to the database that are in use.", pool.used),
        gauge("petstore_store_pool_connections_idle", "Connections to the database that are open and idle.", pool.idle),
        gauge("petstore_store_pool_connections_max", "The most connections to the database.", pool.max),
        gauge("petstore_store_pool_waiting", "Questions that wait for a connection to the database.", pool.waiting),
      );
    return {
      metrics: [...metrics, ...runtime],
      calls: [...keys].filter(([, count]) => count > 0),
      deprecated: [...deprecated].flatMap(([operation, keys]) =>
        [...keys].map(([key, count]) => [operation, key, count] as const),
      ),
    };
  };
}

/** A metric that only grows. */
export function counter(name: string, help: string, values: readonly Value[]): Metric {
  return { name, help, type: "counter", aggregator: "sum", values };
}

/** A metric of one value. */
export function gauge(
  name: string,
  help: string,
  value: number,
  labels: Value["labels"] = {},
  aggregator: Metric["aggregator"] = "sum",
): Metric {
  return { name, help, type: "gauge", aggregator, values: [{ labels, value }] };
}

function histogram(name: string, help: string, all: readonly [Value["labels"], Histogram][]): Metric {
  const values = all.flatMap(([labels, { bounds, counts, sum }]) => {
    let count = 0;
    const buckets = counts.map((own, bucket) => {
      count += own;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[bucket] ?? "+Inf" }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
  return { name, help, type: "histogram", aggregator: "sum", values };
}
