// The latest failed requests, for the status page.

const maxFailures = 20;

/** A request that failed with 4xx or 5xx. */
export interface RecentFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The operationId, or `other` if the request matches none. */
  readonly operation: string;
  readonly status: number;
  /** The error code; empty if the response has none. */
  readonly code: string;
  /** The request id. */
  readonly id: string;
}

/** Keeps the latest failures, the latest first. */
export class RecentFailures {
  #failures: RecentFailure[] = [];

  add(...failures: readonly RecentFailure[]): void {
    this.#failures = [...failures, ...this.#failures].sort((a, b) => b.at - a.at).slice(0, maxFailures);
  }

  list(): readonly RecentFailure[] {
    return this.#failures;
  }

  /** Returns the failures, and forgets them. */
  drain(): readonly RecentFailure[] {
    const failures = this.#failures;
    this.#failures = [];
    return failures;
  }
}
