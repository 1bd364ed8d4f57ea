// Limits the idle time of a transaction between two calls: it holds locks, and in SQLite all other calls wait.

/** Runs a call of a transaction. */
export type RunCall = <T>(call: () => T | Promise<T>) => Promise<T>;

const maxPause = 1_000; // milliseconds

/** Runs `work`, which passes its calls to the function that it gets. Rejects if there is none for 1 s. */
export function limitPauses<T>(work: (run: RunCall) => Promise<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const start = () => setTimeout(() => reject(new Error(message)), maxPause).unref();
  let [timer, running] = [start(), 0];
  const run: RunCall = async (call) => {
    clearTimeout(timer);
    running++;
    try {
      return await call();
    } finally {
      if (--running === 0) timer = start();
    }
  };
  return Promise.race([work(run), expired]).finally(() => clearTimeout(timer));
}

const message = `A transaction has awaited something other than its own calls for ${maxPause / 1000} s, and was rolled back.`;
