// Releases the resources of a script (processes, files), also if a signal or an uncaught exception ends it.

/** A stack of cleanup functions. */
export interface Cleanup {
  /** Adds a function to call at the end of the script. The last function added is called first. */
  teardown(release: () => unknown): void;
  /** Calls all functions, including those that are added during the cleanup. Logs errors and continues. */
  cleanUp(): Promise<void>;
}

/** Creates a cleanup stack. On SIGINT, SIGTERM and uncaught exceptions, it calls all functions and exits with 1. */
export function createCleanup(): Cleanup {
  const functions: (() => unknown)[] = [];
  let cleanup: Promise<void> | undefined;
  const cleanUp = () => {
    cleanup ??= (async () => {
      for (let release = functions.pop(); release; release = functions.pop())
        await Promise.try(release).catch((error) => console.error(error));
    })();
    return cleanup;
  };
  for (const event of ["SIGINT", "SIGTERM", "uncaughtException"])
    process.on(event, async (reason) => {
      if (reason instanceof Error) console.error(reason);
      await cleanUp();
      process.exit(1);
    });
  return { teardown: (release) => functions.push(release), cleanUp };
}
