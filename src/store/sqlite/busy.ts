// Maps SQLite's result codes to errors of the store, and retries while the database is locked.
import { setTimeout as sleep } from "node:timers/promises";
import { Unavailable } from "../../lib/index.ts";

const retryInterval = 10; // milliseconds
const sqliteBusy = 5; // SQLITE_BUSY

// The primary result codes whose cause is the environment, not a bug: https://www.sqlite.org/rescode.html
const unavailableReasons = new Map([
  [sqliteBusy, "locked by another process"],
  [6, "locked"], // SQLITE_LOCKED
  [8, "read-only"], // SQLITE_READONLY
  [10, "not readable or writable"], // SQLITE_IOERR
  [11, "damaged"], // SQLITE_CORRUPT
  [13, "out of space"], // SQLITE_FULL
  [14, "not accessible"], // SQLITE_CANTOPEN
  [26, "no database any more"], // SQLITE_NOTADB
]);

/**
 * Retries `work` for up to `timeout` milliseconds while SQLite reports SQLITE_BUSY, without blocking the event loop as
 * SQLite's own busy timeout does. Rejects with `Unavailable` if the cause of the failure is not a bug.
 */
export async function retryWhileBusy<T>(
  work: () => T,
  timeout: number,
  deadline = performance.now() + timeout,
): Promise<T> {
  try {
    return work();
  } catch (error) {
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    if (code === sqliteBusy && performance.now() < deadline) {
      await sleep(retryInterval);
      return retryWhileBusy(work, timeout, deadline);
    }
    const reason = unavailableReasons.get(code);
    throw reason === undefined ? error : new Unavailable(`The store is ${reason}.`, { cause: error });
  }
}
