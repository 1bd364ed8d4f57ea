// Counts requests and responses, in plain arrays because it runs for every request.
import { Histogram, latencyBuckets } from "../lib/index.ts";
import type { Operation } from "../openapi/index.ts";

/** The status classes that are counted. */
export const statusClasses = ["2xx", "3xx", "4xx", "5xx"] as const;

/** The metrics of one operation. */
export interface OperationMetrics {
  /** The number of responses by method, then by the index of their class in `statusClasses`. */
  readonly responses: Map<string, number[]>;
  /** In seconds. */
  readonly durations: Histogram;
}

// Clients must not create series: other methods are counted as `other`.
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts the requests of a service since its start. Requests that match no operation are counted as `other`. */
export class RequestMetrics {
  /** By operationId, in the document's order, then `other`. */
  readonly operations: ReadonlyMap<string, OperationMetrics>;
  readonly #other = createOperationMetrics("GET");
  #rejected = 0;
  #droppedLogLines = 0;

  /** Throws an Error if an operation has the id `other`. */
  constructor(operations: readonly Pick<Operation, "id" | "method">[]) {
    if (operations.some(({ id }) => id === "other"))
      throw new Error(
        "The operationId other is reserved: metrics use it for requests that match no operation. Rename the operation.",
      );
    const entries = operations.map(({ id, method }) => [id, createOperationMetrics(method)] as const);
    this.operations = new Map([...entries, ["other", this.#other]]);
  }

  /** The number of requests that load shedding rejected. */
  get rejected(): number {
    return this.#rejected;
  }

  /** The number of log lines that the limit of the log dropped. */
  get droppedLogLines(): number {
    return this.#droppedLogLines;
  }

  /** Counts a log line that was dropped. */
  readonly recordDroppedLogLine = (): void => {
    this.#droppedLogLines += 1;
  };

  /** Counts a request that load shedding rejected. */
  readonly recordRejection = (): void => {
    this.#rejected += 1;
  };

  /** Counts a response and its duration in milliseconds. `operation` is undefined if the request matches none. */
  readonly recordResponse = (operation: string | undefined, method: string, status: number, ms: number): void => {
    const metrics = (operation === undefined ? undefined : this.operations.get(operation)) ?? this.#other;
    countResponse(metrics, method, status);
    metrics.durations.observe(ms / 1_000);
  };

  /** Counts a response to a request that the HTTP parser rejected. Its method and duration are unknown. */
  readonly recordMalformed = (status: number): void => countResponse(this.#other, "", status);
}

// `method` has series of its own from the start, all 0, so that Prometheus sees its first increase.
function createOperationMetrics(method: string): OperationMetrics {
  return { responses: new Map([[method, statusClasses.map(() => 0)]]), durations: new Histogram(latencyBuckets) };
}

function countResponse({ responses }: OperationMetrics, method: string, status: number): void {
  const name = knownMethods.has(method) ? method : "other";
  let counts = responses.get(name);
  if (counts === undefined) {
    counts = statusClasses.map(() => 0);
    responses.set(name, counts);
  }
  const index = Math.floor(status / 100) - 2;
  counts[index] = (counts[index] as number) + 1;
}
