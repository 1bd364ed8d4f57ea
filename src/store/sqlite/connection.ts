// How the embedded store is reached, and what its errors mean.
import { closeSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Unavailable } from "../../lib/index.ts";
import type { OpenMode } from "../port.ts";
import { latestVersion, migrate, readVersion } from "./migrations.ts";

const openTimeout = 5_000; // milliseconds that a lock of another process is waited for at the start

const missing = { code: "ENOENT" }; // as of a file that is not there

const modes = { make: "a", update: "r+", look: "r" } as const satisfies Record<OpenMode, string>;

/**
 * A connection to a store of this version, in `file` or `:memory:`. Throws an Error that says what is
 * wrong where the file can't be opened, is no store of ours, or was made by a newer version.
 */
export function openFile(file: string, access: OpenMode): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    if (file !== ":memory:") {
      if (access === "make") mkdirSync(dirname(file), { recursive: true });
      // Nobody but its owner reads the file: it holds the secret that signs cursors.
      closeSync(openSync(file, modes[access], 0o600));
    }
    db = new DatabaseSync(file, { timeout: openTimeout, readBigInts: true, readOnly: access === "look" });
    const version = readVersion(db); // before anything is written: it may be somebody else's
    if (access === "look") {
      if (version > 0 && version < latestVersion)
        throw new Error(
          `it is of version ${version}, and this release has ${latestVersion}: let petstore migrate bring it, or a copy of it, there`,
        );
      if (version === 0)
        throw Object.assign(new Error("it has no pet store of this version: petstore migrate makes it one"), missing);
      return db;
    }
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    migrate(db);
    db.exec("PRAGMA busy_timeout = 0"); // from here on, who writes waits outside
    return db;
  } catch (error) {
    db?.close();
    throw new Error(`The database ${file} can't be opened: ${(error as Error).message}.`, { cause: error });
  }
}

/** Makes a store that nobody has open one file: nothing stands in a log beside it, and none is made to read it. */
export function disableWal(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = DELETE");
  db.close();
}

const often = 100; // milliseconds

/**
 * A check that the files of `db` are where they were. SQLite goes on with files that were removed or
 * replaced, and what it commits there is gone with the process. It throws `Unavailable` where they are not.
 */
export function watchFiles(db: DatabaseSync): () => void {
  const file = db.location();
  if (file === null) return () => {};
  // There for as long as any connection is open: a checkpoint does not replace it.
  const log = `${file}-wal`;
  const known = { file: statSync(file), log: statSync(log) };
  let looked = 0;
  return () => {
    // The log now and then: who asks for a file's times makes its next sync dearer (Linux 6.13 keeps them
    // finer from then on). Where it alone was removed, what was committed goes into the file at the end.
    const now = performance.now();
    const due = now - looked > often;
    if (!isStill(file, known.file) || (due && !isStill(log, known.log))) {
      const cause = new Error(`${file} or its -wal is not what was opened: put that back, or start the service anew`);
      throw new Unavailable("The store's file was removed or replaced.", { cause });
    }
    if (due) looked = now;
  };
}

function isStill(name: string, { dev, ino }: Stats): boolean {
  try {
    const now = statSync(name);
    return now.ino === ino && now.dev === dev;
  } catch {
    return false; // whatever it is: what was committed must not be tried again
  }
}

const busyPause = 10; // milliseconds
const busy = 5; // SQLITE_BUSY

// SQLite's primary result codes that speak of the surroundings, not of a bug of ours.
// https://www.sqlite.org/rescode.html
const surroundings = new Map([
  [busy, "locked by another process"],
  [6, "locked"], // SQLITE_LOCKED
  [8, "read-only"], // SQLITE_READONLY
  [10, "not readable or writable"], // SQLITE_IOERR
  [11, "damaged"], // SQLITE_CORRUPT
  [13, "out of space"], // SQLITE_FULL
  [14, "not accessible"], // SQLITE_CANTOPEN
  [26, "no database any more"], // SQLITE_NOTADB
]);

/**
 * Retries `work` for up to `timeout` milliseconds while another process has a lock, without blocking the event loop as
 * SQLite would. Rejects with `Unavailable` for what is not a bug of ours.
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
    if (code === busy && performance.now() < deadline) {
      await pause(busyPause);
      return retryWhileBusy(work, timeout, deadline);
    }
    const reason = surroundings.get(code);
    throw reason === undefined ? error : new Unavailable(`The store is ${reason}.`, { cause: error });
  }
}
