// The latest failed requests, for the status page.

const maxFailures = 20;
const reserved = 10; // of them for 5xx, so that a client with invalid requests can't displace the failures of the service

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

/** Keeps the latest 20 failures, the latest first. The latest 10 with 5xx are among them. */
export class RecentFailures {
  #failures: RecentFailure[] = [];

  add(...failures: readonly RecentFailure[]): void {
    const all = [...failures, ...this.#failures].sort((a, b) => b.at - a.at);
    const kept = new Set(all.filter(({ status }) => status >= 500).slice(0, reserved));
    for (const failure of all) if (kept.size < maxFailures) kept.add(failure);
    this.#failures = all.filter((failure) => kept.has(failure));
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
