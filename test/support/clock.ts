// A manual clock, which stands still until a test advances it.

import type { Clock } from "../../src/telemetry/aggregation.ts";
/** A clock that a test advances. */
export interface ManualClock extends Clock {
  /** Advances the time of day and the elapsed time by `ms` milliseconds, and waits for the timers that become due. */
  advance(ms: number): Promise<void>;
}

/** Creates a clock that starts at `now`, in milliseconds since 1970. */
export function manualClock(now = Date.now()): ManualClock {
  const start = now;
  const timers = new Set<{ due: number; ms: number; work: () => Promise<void> }>();
  return {
    now: () => now,
    elapsed: () => now - start,
    every(ms, work) {
      const timer = { due: now + ms, ms, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      for (const end = now + ms; ; ) {
        const [next] = [...timers].sort((a, b) => a.due - b.due);
        now = Math.min(end, next?.due ?? end);
        if (next === undefined || next.due > end) return;
        next.due += next.ms;
        await next.work();
      }
    },
  };
}
