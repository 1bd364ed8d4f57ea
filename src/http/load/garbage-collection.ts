// Forces garbage collection: V8 otherwise collects only when it needs the memory.
import { executionAsyncResource } from "node:async_hooks";

/**
 * Runs a full garbage collection, which takes longer the more memory is in use. Does nothing if Node was built without
 * the inspector or its permissions deny it. Not `global.gc`, which needs a flag of Node.
 */
export function collectGarbage(): Promise<void> {
  return collect().catch(() => {}); // best effort: no caller depends on the collection
}

const idleInterval = 1_000; // milliseconds
const maxUtilization = 0.1; // of the event loop
const minGrowth = 96 * 2 ** 20; // bytes of resident memory, more than an ordinary load leaves

/**
 * Collects garbage in the first second in which the process is idle, and later in each idle second if its memory has grown
 * since: V8 would keep the memory of a load. A collection also discards compiled code, so that it is not done for less.
 */
export function collectGarbageWhenIdle(): void {
  let before = performance.eventLoopUtilization();
  let limit = 0;
  setInterval(async () => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    if (utilization > maxUtilization || process.memoryUsage.rss() < limit) return;
    limit = Number.POSITIVE_INFINITY; // until this collection has ended
    await collectGarbage();
    limit = process.memoryUsage.rss() + minGrowth;
  }, idleInterval).unref();
}

// An object that process.nextTick created. While none exists, a collection deletes their hidden class, and from then on
// each call of nextTick takes 1 µs more, four times per request.
let tick: object | undefined;

async function collect(): Promise<void> {
  if (tick === undefined)
    tick = await new Promise<object>((resolve) => process.nextTick(() => resolve(executionAsyncResource())));
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.collectGarbage").finally(() => session.disconnect());
}
