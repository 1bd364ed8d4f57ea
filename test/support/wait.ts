// Polls for a condition. Fixed delays make tests slow on a fast machine, and flaky on a slow one.
import { setTimeout as pause } from "node:timers/promises";

export { pause };

const timeout = 60_000; // milliseconds; generous, so that slow machines do not fail

/** Polls every 10 ms until the result is not undefined, and returns it. Rejects with `describe()` after 60 s. */
export async function until<T>(poll: () => T | undefined | Promise<T | undefined>, describe: () => string): Promise<T> {
  for (const start = performance.now(); performance.now() - start < timeout; await pause(10)) {
    const result = await poll();
    if (result !== undefined) return result;
  }
  throw new Error(describe());
}
