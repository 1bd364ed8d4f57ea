// Limits the duration of asynchronous operations.
import { UnavailableError } from "./unavailable-error.ts";

/**
 * Returns the result of `operation`. Rejects with `UnavailableError` and `message` after `ms` milliseconds, but does not
 * cancel the operation.
 */
export async function withTimeout<T>(operation: Promise<T>, ms: number, message: string): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new UnavailableError(message)), ms);
  return Promise.race([operation, timeout]).finally(() => clearTimeout(timer));
}
