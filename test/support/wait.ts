// Polls for a condition. Fixed delays make tests slow on a fast machine, and flaky on a slow one.
import { setTimeout as pause } from "node:timers/promises";

export { pause };

const timeout = 60_000; // milliseconds; generous, so that slow machines do not fail

type Pending = undefined | false;

/**
 * Polls every 10 ms until the result is neither undefined nor false, and returns it. Rejects with the text `problem`, or what
 * it returns then, after 60 s.
 */
export async function until<T>(
  poll: () => T | Pending | Promise<T | Pending>,
  problem: string | (() => string),
): Promise<Exclude<T, Pending>> {
  for (const start = performance.now(); performance.now() - start < timeout; await pause(10)) {
    const result = await poll();
    if (result !== undefined && result !== false) return result as Exclude<T, Pending>;
  }
  throw new Error(typeof problem === "string" ? problem : problem());
}
