// However a script ends, nothing that it started stays behind.

/** What a script has to end. */
export interface Tidy {
  /** Has `end` called when all ends, the last first. */
  teardown(end: () => unknown): void;
  /** Ends all. */
  tidy(): Promise<void>;
}

/** Sees to it that signals and exceptions, too, end what was started; also what begins meanwhile. */
export function buildTidy(): Tidy {
  const started: (() => unknown)[] = [];
  let tidied: Promise<void> | undefined;
  const tidy = () => {
    tidied ??= (async () => {
      for (let end = started.pop(); end; end = started.pop())
        await (async () => end())().catch((error) => console.error(error));
    })();
    return tidied;
  };
  for (const event of ["SIGINT", "SIGTERM", "uncaughtException"])
    process.on(event, async (reason) => {
      if (reason instanceof Error) console.error(reason);
      await tidy();
      process.exit(1);
    });
  return { teardown: (end) => started.push(end), tidy };
}
