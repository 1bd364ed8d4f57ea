// The release of memory. load-shedding.test.ts and connections.test.ts test the effects of a full memory.
import { constants, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { start } from "../support/service.ts";
import { until } from "../support/wait.ts";

let collections = 0; // that collected all garbage: V8 does not do that by itself
const observer = new PerformanceObserver((list) => {
  for (const entry of list.getEntries() as (PerformanceEntry & { detail: { flags: number } })[])
    if (entry.detail.flags === constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) collections += 1;
});
observer.observe({ entryTypes: ["gc"] });
t.teardown(() => observer.disconnect());

t.test(
  "Collects garbage when the process is idle and uses a third of its memory, at most once per minute",
  async (t) => {
    const time = { now: 0 };
    const usage = { heap: 0, heapLimit: 100, resident: 20, residentLimit: 100 };
    await start(t, { overrides: { memory: () => usage, clock: () => time.now, checkInterval: 10 } });
    const countCollections = async () => {
      const before = collections;
      await pause(200); // several checks
      return collections - before;
    };
    const untilCollected = async () => {
      const before = collections;
      await until(
        () => collections > before || undefined,
        () => "nothing is collected",
      );
      await pause(100); // both entries of a collection
    };
    usage.resident = 33;
    t.equal(await countCollections(), 0, "less than a third of the limit is in use");
    usage.resident = 34;
    await untilCollected();
    usage.resident = 50;
    time.now += 60_000;
    t.equal(await countCollections(), 0, "a minute has not passed");
    time.now += 1;
    await untilCollected();
    time.now += 60_001;
    t.equal(await countCollections(), 0, "there is no new load");
  },
);
