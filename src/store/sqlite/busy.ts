// Maps SQLite's result codes to errors of the store, and retries while the database is locked.
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError } from "../../lib/index.ts";
import { maxInt64 } from "../ids.ts";

const retryInterval = 10; // milliseconds
const sqliteBusy = 5; // SQLITE_BUSY
const sqliteIoError = 10; // SQLITE_IOERR
const sqliteFull = 13; // SQLITE_FULL

// The primary result codes whose cause is the environment, not a bug: https://www.sqlite.org/rescode.html
const unavailableReasons = new Map([
  [sqliteBusy, "locked by another process"],
  [6, "locked"], // SQLITE_LOCKED
  [8, "read-only"], // SQLITE_READONLY
  [sqliteIoError, "not readable or writable"],
  [11, "corrupt"], // SQLITE_CORRUPT
  [sqliteFull, "out of disk space"],
  [14, "not accessible"], // SQLITE_CANTOPEN
  [26, "invalid"], // SQLITE_NOTADB
]);

// Returns the primary result code of an error of SQLite, or 0.
function resultCode(error: unknown): number {
  return ((Object(error) as { errcode?: number }).errcode ?? 0) & 0xff;
}

/** Returns whether SQLite has thrown an error. */
export function isSqliteError(error: unknown): boolean {
  return resultCode(error) > 0;
}

/**
 * Returns whether an error, or its cause, may mean that the disk is full. If the -shm file can't grow, SQLite reports
 * SQLITE_IOERR.
 */
export function isOutOfSpace(error: unknown): boolean {
  return [error, (error as Error).cause].some((one) => [sqliteFull, sqliteIoError].includes(resultCode(one)));
}

/**
 * Returns `UnavailableError` if an insert has failed because no id can follow the highest one, and any other error unchanged.
 * SQLite reports SQLITE_FULL for both reasons (https://www.sqlite.org/autoinc.html).
 */
export function distinguishOutOfIds(error: unknown, db: DatabaseSync): unknown {
  if (resultCode(error) !== sqliteFull) return error;
  const isOut = db.prepare("SELECT 1 FROM sqlite_sequence WHERE seq = ?").get(maxInt64) !== undefined;
  return isOut ? new UnavailableError("The database is out of ids.") : error;
}

/**
 * Retries `work` for up to `timeout` milliseconds while SQLite reports SQLITE_BUSY, without blocking the event loop as
 * SQLite's own busy timeout does. Rejects with `UnavailableError` if the cause of the failure is not a bug.
 */
export async function retryWhileBusy<T>(
  work: () => T | Promise<T>,
  timeout: number,
  deadline = performance.now() + timeout,
): Promise<T> {
  try {
    const result = work();
    return result instanceof Promise ? await result : result;
  } catch (error) {
    const code = resultCode(error);
    if (code === sqliteBusy && performance.now() < deadline) {
      await sleep(retryInterval);
      return retryWhileBusy(work, timeout, deadline);
    }
    const reason = unavailableReasons.get(code);
    throw reason === undefined ? error : new UnavailableError(`The database is ${reason}.`, { cause: error });
  }
}
