// V8 collects garbage when it needs the room; here it is asked to know, or to give back, what is free.

/** Collects garbage, which takes as long as there is much in use. Where Node has no inspector, or may not use it, nothing happens. */
export async function collectGarbage(): Promise<void> {
  try {
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    await session.post("HeapProfiler.collectGarbage");
    session.disconnect();
  } catch {}
}
