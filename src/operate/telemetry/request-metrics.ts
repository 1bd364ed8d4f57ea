// Counts requests and responses, in plain numbers because it runs for every request.
import { getOrAdd, Histogram, latencyBuckets, type MetricsRegistry } from "../../lib/index.ts";
import type { Operation } from "../../openapi/index.ts";

/** The number of responses by method, then by status. */
type ResponseCounts = Map<string, Map<number, number>>;

interface OperationMetrics {
  readonly responses: ResponseCounts;
  /** In seconds. */
  readonly durations: Histogram;
}

// Clients must not create series: other methods are counted as `other`.
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts the requests of a service since its start. Requests that match no operation are counted as `other`. */
export class RequestMetrics {
  readonly #operations: ReadonlyMap<string, OperationMetrics>; // by operationId, in the document's order, then `other`
  readonly #other = createOperationMetrics("GET", [404]);

  constructor(registry: MetricsRegistry, operations: readonly Pick<Operation, "id" | "method" | "part">[]) {
    const entries = operations.map(({ id, method, part }) => {
      const statuses = Object.keys(part.value.responses ?? {}).map(Number);
      return [id, createOperationMetrics(method, statuses.filter(Number.isInteger))] as const;
    });
    const other = operations.some(({ id }) => id === "other") ? "(other)" : "other";
    this.#operations = new Map([...entries, [other, this.#other]]);
    registry.counter("requests_total", "HTTP requests by operation (other if none matches), method and status.", () =>
      [...this.#operations].flatMap(([operation, { responses }]) =>
        [...responses].flatMap(([method, counts]) =>
          [...counts].map(([status, value]) => ({ labels: { operation, method, status: `${status}` }, value })),
        ),
      ),
    );
    registry.histogram(
      "request_duration_seconds",
      "Time from the headers of a request to the last byte of its response, by operation.",
      () => [...this.#operations].map(([operation, { durations }]) => [{ operation }, durations]),
    );
  }

  /** Counts a response and its duration in milliseconds. `operation` is undefined if the request matches none. */
  recordResponse(operation: string | undefined, method: string, status: number, ms: number): void {
    const metrics = (operation === undefined ? undefined : this.#operations.get(operation)) ?? this.#other;
    countResponse(metrics, method, status);
    metrics.durations.observe(ms / 1_000);
  }

  /** Counts a response to a request that the HTTP parser rejected. Its method and duration are unknown. */
  recordMalformed(status: number): void {
    countResponse(this.#other, "", status);
  }
}

// Each status that the document declares has a series from the start, so that Prometheus sees its first increase.
function createOperationMetrics(method: string, statuses: readonly number[]): OperationMetrics {
  const counts = new Map(statuses.map((status) => [status, 0]));
  return { responses: new Map([[method, counts]]), durations: new Histogram(latencyBuckets) };
}

function countResponse({ responses }: OperationMetrics, method: string, status: number): void {
  const name = knownMethods.has(method) ? method : "other";
  const counts = getOrAdd(responses, name, () => new Map<number, number>());
  counts.set(status, 1 + (counts.get(status) ?? 0));
}
