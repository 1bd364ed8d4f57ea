// V8 collects garbage when it needs the room; here it is asked to know, or to give back, what is free.

/** Collects garbage, which takes as long as there is much in use. Where Node has no inspector, or may not use it, nothing happens. */
export function collectGarbage(): Promise<void> {
  return collect().catch(() => {});
}

async function collect(): Promise<void> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.collectGarbage");
  session.disconnect();
}
