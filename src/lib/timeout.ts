// Limits how long an asynchronous operation may take.

import { Unavailable } from "./unavailable.ts";
/** Settles as `operation` does, or rejects with `Unavailable` and `message` after `ms` milliseconds. Does not cancel the operation. */
export async function withTimeout<T>(operation: Promise<T>, ms: number, message: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Unavailable(message)), ms);
  return Promise.race([operation, promise]).finally(() => clearTimeout(timer));
}
