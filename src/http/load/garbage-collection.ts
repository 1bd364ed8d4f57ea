// Forces garbage collection: V8 otherwise collects only when it needs the memory.

/**
 * Runs a full garbage collection, which takes longer the more memory is in use. Does nothing if Node was built without
 * the inspector or its permissions deny it. Not `global.gc`, which needs a flag of Node.
 */
export function collectGarbage(): Promise<void> {
  return collect().catch(() => {}); // best effort: no caller depends on the collection
}

async function collect(): Promise<void> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.collectGarbage").finally(() => session.disconnect());
}
