// Limits how often a function runs: log messages of recurring problems, and checks that many callers ask for.

/** Returns a function that calls `callback` at most once per `interval` milliseconds, and drops calls in between. */
export function throttle<A extends unknown[]>(callback: (...args: A) => void, interval = 60_000): (...args: A) => void {
  let silentUntil = 0;
  return (...args) => {
    const now = performance.now();
    if (now < silentUntil) return;
    silentUntil = now + interval;
    callback(...args);
  };
}

/**
 * Returns a function that runs `work` at most once at a time, and shares its result, also a rejection, with all calls
 * until `maxAge` milliseconds after it has settled.
 */
export function shareResult<T>(work: () => Promise<T>, maxAge: number): () => Promise<T> {
  let result: Promise<T> | undefined;
  let expiresAt = 0;
  return () => {
    if (result !== undefined && performance.now() < expiresAt) return result;
    const settle = () => {
      expiresAt = performance.now() + maxAge;
    };
    expiresAt = Number.POSITIVE_INFINITY;
    result = work();
    result.then(settle, settle);
    return result;
  };
}
