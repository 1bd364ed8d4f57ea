// Stops everything that a script has started, also if a signal or an exception ends the script.

/** A stack of cleanup functions. */
export interface Cleanup {
  /** Adds a function to call at the end of the script. The last function added is called first. */
  teardown(end: () => unknown): void;
  /** Calls all functions, including those that are added during the cleanup. Logs errors and continues. */
  cleanUp(): Promise<void>;
}

/** Creates a cleanup that also runs on SIGINT, SIGTERM and uncaught exceptions. It then exits with 1. */
export function createCleanup(): Cleanup {
  const functions: (() => unknown)[] = [];
  let cleanup: Promise<void> | undefined;
  const cleanUp = () => {
    cleanup ??= (async () => {
      for (let end = functions.pop(); end; end = functions.pop())
        await (async () => end())().catch((error) => console.error(error));
    })();
    return cleanup;
  };
  for (const event of ["SIGINT", "SIGTERM", "uncaughtException"])
    process.on(event, async (reason) => {
      if (reason instanceof Error) console.error(reason);
      await cleanUp();
      process.exit(1);
    });
  return { teardown: (end) => functions.push(end), cleanUp };
}
