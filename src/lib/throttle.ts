// Throttles the log messages of recurring problems.

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
