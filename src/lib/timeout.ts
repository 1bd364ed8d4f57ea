// Limits the duration of asynchronous operations.
import { Unavailable } from "./unavailable.ts";

/**
 * Returns the result of `operation`. Rejects with `Unavailable` and `message` after `ms` milliseconds, but does not
 * cancel the operation.
 */
export async function withTimeout<T>(operation: Promise<T>, ms: number, message: string): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Unavailable(message)), ms);
  return Promise.race([operation, timeout]).finally(() => clearTimeout(timer));
}
