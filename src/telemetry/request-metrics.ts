// What a process counts of its requests: into plain arrays, since each request pays for it.

import { Histogram, latencyBuckets } from "../lib/index.ts";
import type { Operation } from "../spec/index.ts";
/** The classes of statuses that an answer may have, in their order. */
export const statusClasses = ["2xx", "3xx", "4xx", "5xx"] as const;

/** The answers of one operation. */
export interface OperationMetrics {
  /** How many there were: by method, then by class of status. */
  readonly methods: Map<string, number[]>;
  readonly seconds: Histogram;
}

/** What was counted since the start, all zeros at first. */
export interface RequestMetrics {
  /** By operationId, in the document's order; what is no operation is `other`. */
  readonly operations: ReadonlyMap<string, OperationMetrics>;
  /** The number of requests that load shedding rejected. */
  readonly rejected: number;
  /** Counts a request that load shedding rejected. */
  recordRejection(): void;
  /** Counts an answer of an operation, if it is of one, and the milliseconds that it took. */
  recordResponse(operation: string | undefined, method: string, status: number, ms: number): void;
  /** Counts what the HTTP parser refused: nobody knows its method, nor how long it took. */
  recordMalformed(status: number): void;
}

// Whoever makes up methods makes no series.
const known = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts the requests of a service with these operations. */
export function createRequestMetrics(operations: readonly Pick<Operation, "id" | "method">[]): RequestMetrics {
  const begin = (method: string): OperationMetrics => ({
    methods: new Map([[method, statusClasses.map(() => 0)]]),
    seconds: new Histogram(latencyBuckets),
  });
  const other = begin("GET");
  const all = new Map(operations.map(({ id, method }) => [id, begin(method)]));
  if (all.has("other")) throw new Error("The operation other needs another name: this one is for what is none.");
  const count = ({ methods }: OperationMetrics, method: string, status: number) => {
    const name = known.has(method) ? method : "other";
    const statuses = methods.get(name) ?? statusClasses.map(() => 0);
    if (!methods.has(name)) methods.set(name, statuses);
    const index = Math.floor(status / 100) - 2;
    statuses[index] = (statuses[index] as number) + 1;
  };
  let rejected = 0;
  return {
    operations: new Map([...all, ["other", other]]),
    get rejected() {
      return rejected;
    },
    recordRejection: () => {
      rejected += 1;
    },
    recordResponse(operation, method, status, ms) {
      const answers = (operation === undefined ? undefined : all.get(operation)) ?? other;
      count(answers, method, status);
      answers.seconds.observe(ms / 1_000);
    },
    recordMalformed: (status) => count(other, "", status),
  };
}
