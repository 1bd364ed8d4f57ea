// The release of memory while the process is idle.
import { constants, PerformanceObserver } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { collectGarbageWhenIdle } from "../../../src/http/load/garbage-collection.ts";
import { until } from "../../support/wait.ts";

t.test(
  "Collects garbage when the process has been idle for a second, and again after its memory has grown",
  async (t) => {
    let collections = 0; // that collected all garbage: V8 does not do that by itself
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { detail: { flags: number } })[])
        if (entry.detail.flags === constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) collections += 1;
    });
    observer.observe({ entryTypes: ["gc"] });
    t.teardown(() => observer.disconnect());
    collectGarbageWhenIdle();
    for (const start = performance.now(); performance.now() - start < 1_500; await pause(0))
      for (const busy = performance.now(); performance.now() - busy < 20; );
    t.equal(collections, 0, "the process is busy");
    await until(() => collections > 0, "nothing is collected");
    await pause(100); // both entries of a collection
    const once = collections;
    await pause(1_500);
    t.equal(collections, once, "the memory has not grown");
    let load: object[] | undefined = Array.from({ length: 4_000_000 }, (_, number) => ({ number }));
    t.equal(load.length, 4_000_000);
    load = undefined;
    await until(() => collections > once, "the memory of a load is not released");
  },
);
