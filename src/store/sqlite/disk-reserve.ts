// Reserves disk space for deletions and for the writes of keys, so that records can be deleted, and a key revoked or replaced, after
// a client has filled the disk.
//
// A file beside the database holds the space. Such a write that finds no space removes the file and tries again.
// All other writes need the file, and so they do not use the space. PRAGMA max_page_count would limit the database, but
// not its -wal file.
import { randomBytes } from "node:crypto";
import { existsSync, realpathSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UnavailableError } from "../../lib/index.ts";
import { isOutOfSpace } from "./busy.ts";

const defaultSize = 1_048_576; // bytes: a revocation writes some 20 KB to the -wal file
const retryInterval = 1_000; // milliseconds: a failed attempt blocks the event loop, and can write up to 1 MB

/** The reserve of a database. */
export class DiskReserve {
  readonly #file: string | undefined;
  readonly #size: number;
  #failure: { readonly cause: unknown; readonly until: number } | undefined;

  /** `database` is the path of the database, or `:memory:`, which needs no reserve. */
  constructor(database: string, size = defaultSize) {
    // SQLite resolves symbolic links too: -wal and -reserve are on the same disk.
    const path = existsSync(database) ? realpathSync.native(database) : database;
    this.#file = database === ":memory:" ? undefined : `${path}-reserve`;
    this.#size = size;
  }

  /**
   * Creates the file if it is missing. Throws `UnavailableError` if there is no space for it, and then does not try again
   * for 1 second.
   */
  ensure(): void {
    const file = this.#file;
    if (file === undefined || isComplete(file, this.#size)) return;
    if (this.#failure && performance.now() < this.#failure.until) throw toUnavailable(this.#failure.cause);
    try {
      const { bavail, bsize } = statfsSync(dirname(file));
      if (bavail * bsize < this.#size) throw new Error(`${file} needs ${this.#size} bytes`);
      // Random, because a file system may compress zeros. The flush allocates the blocks.
      writeFileSync(file, randomBytes(this.#size), { mode: 0o600, flush: true });
    } catch (cause) {
      this.#remove();
      this.#failure = { cause, until: performance.now() + retryInterval };
      throw toUnavailable(cause);
    }
  }

  /** Removes the file after a write that has found no space, which can then run again. Throws any other error. */
  release(error: unknown): void {
    if (!isOutOfSpace(error)) throw error;
    this.#remove();
  }

  #remove(): void {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
  }
}

const toUnavailable = (cause: unknown) => new UnavailableError("The database is out of disk space.", { cause });

// Another process may still be writing the file, or may have been killed meanwhile. If the file is not accessible, the
// write itself finds the cause.
function isComplete(file: string, size: number): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size === size;
  } catch {
    return true;
  }
}
