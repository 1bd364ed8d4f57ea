// Time: how often a function runs, how long an operation takes, and timestamps.
import { UnavailableError } from "./problem.ts";

/**
 * Returns a function that calls `callback` at most once per `interval` milliseconds, and drops calls in between, and those of the
 * first `delay` milliseconds.
 */
export function throttle<A extends unknown[]>(
  callback: (...args: A) => void,
  interval = 60_000,
  delay = 0,
): (...args: A) => void {
  let silentUntil = performance.now() + delay;
  return (...args) => {
    const now = performance.now();
    if (now < silentUntil) return;
    silentUntil = now + interval;
    callback(...args);
  };
}

/** Returns a function that reports what a start does, once it takes longer than 2 s, and then every 5 s. */
export function throttleStart<A extends unknown[]>(report: (...args: A) => void): (...args: A) => void {
  return throttle(report, 5_000, 2_000);
}

/**
 * Returns a function that runs `work` at most once at a time, and shares its result, also a rejection, with all calls
 * until `maxAge` milliseconds after it has settled.
 */
export function shareResult<T>(
  work: () => Promise<T>,
  maxAge: number,
  clock = () => performance.now(),
): () => Promise<T> {
  let result: Promise<T> | undefined;
  let expiresAt = 0;
  return () => {
    if (result !== undefined && clock() < expiresAt) return result;
    const settle = () => {
      expiresAt = clock() + maxAge;
    };
    expiresAt = Number.POSITIVE_INFINITY;
    result = work();
    result.then(settle, settle);
    return result;
  };
}

/**
 * Returns the result of `operation`. Rejects with `UnavailableError` and `message` after `ms` milliseconds, but does not
 * cancel the operation. A result that has arrived by then is used: an event loop that was blocked runs timers before it reads.
 */
export async function withTimeout<T>(operation: Promise<T>, ms: number, message: string): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => reject(new UnavailableError(message))), ms);
  return Promise.race([operation, timeout]).finally(() => clearTimeout(timer));
}

/** Formats a time to the minute, in UTC, such as `2030-12-05 13:45Z`. */
export function formatTime(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")}Z`;
}
