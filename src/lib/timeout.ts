// Limits the duration of asynchronous operations.
import { UnavailableError } from "./unavailable-error.ts";

/**
 * Returns the result of `operation`. Rejects with `UnavailableError` and `message` after `ms` milliseconds, but does not
 * cancel the operation. A result that has arrived by then is used: an event loop that was blocked runs timers before it reads.
 */
export async function withTimeout<T>(operation: Promise<T>, ms: number, message: string): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => reject(new UnavailableError(message))), ms);
  return Promise.race([operation, timeout]).finally(() => clearTimeout(timer));
}
