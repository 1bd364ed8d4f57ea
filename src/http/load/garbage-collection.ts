// Forces garbage collection: V8 otherwise collects only when it needs the memory.
import { executionAsyncResource } from "node:async_hooks";

/**
 * Runs a full garbage collection, which takes longer the more memory is in use. Does nothing if Node was built without
 * the inspector or its permissions deny it. Not `global.gc`, which needs a flag of Node.
 */
export function collectGarbage(): Promise<void> {
  return collect().catch(() => {}); // best effort: no caller depends on the collection
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
