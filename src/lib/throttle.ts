// Limits how often a recurring problem is logged.

/** Returns a function that calls `callback` at most once per `interval` milliseconds, and drops all calls in between. */
export function throttle<A extends unknown[]>(callback: (...args: A) => void, interval = 60_000): (...args: A) => void {
  let silentUntil = 0;
  return (...args) => {
    if (performance.now() < silentUntil) return;
    silentUntil = performance.now() + interval;
    callback(...args);
  };
}
