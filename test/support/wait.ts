// Waiting for a condition. Fixed waits make a suite slow on a fast machine, and wrong on a slow one.
import { setTimeout as pause } from "node:timers/promises";

export { pause };

const timeout = 60_000; // milliseconds, which allow for a machine that is four times slower

/** Waits until `look` returns something other than undefined, and returns it. Rejects with `describe()` after 60 s. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>, describe: () => string): Promise<T> {
  for (const start = performance.now(); performance.now() - start < timeout; await pause(10)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(describe());
}
