// Counts the requests of a key over several processes. If the shared counter fails, each process counts for itself.
import type { AttemptCounter, BucketState, TokenBuckets } from "../http/index.ts";
import { withTimeout } from "../lib/index.ts";

const timeout = 100; // milliseconds for the shared counter to respond
const pause = 1_000; // milliseconds after a failure in which it is not asked

/** A counter of several processes. */
export interface SharedCounter {
  /** Counts an attempt of a client, if it has one left. */
  take(client: string): Promise<BucketState>;
}

/** The options of `withFallback`. */
export interface FallbackOptions {
  /** Counts for this process while the shared counter fails. */
  readonly local: TokenBuckets;
  /** Called for each failure, and not for the attempts of the pause after it. */
  readonly onError: (error: unknown) => void;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Returns a counter that uses a shared one. If it rejects, or does not respond within 100 ms, the counter is that of this
 * process for one second: no request is rejected because the attempts can't be counted.
 */
export function withFallback(
  shared: SharedCounter,
  { local, onError, clock = () => performance.now() }: FallbackOptions,
): AttemptCounter {
  let failedUntil = Number.NEGATIVE_INFINITY;
  const fail = (client: string, error: unknown) => {
    if (clock() >= failedUntil) onError(error);
    failedUntil = clock() + pause;
    return local.take(client);
  };
  return {
    take(client) {
      if (clock() < failedUntil) return local.take(client);
      return withTimeout(shared.take(client), timeout, "The shared counter does not respond.").catch((error) =>
        fail(client, error),
      );
    },
  };
}
