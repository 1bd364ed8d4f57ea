// Detects that the path of an open SQLite database leads to another file, or to none: the file was moved, replaced or
// removed, or a symbolic link was changed. SQLite does not notice it. It continues to write to a deleted file, and all
// commits are lost when the process ends. Commands that are started now open the other file, such as `keys revoke`.
import { realpathSync, type Stats, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { UnavailableError } from "../../lib/index.ts";

const fullCheckInterval = 100; // milliseconds

/**
 * Returns a function that throws `UnavailableError` if `path` or the -wal file does not lead to the files that `db` has
 * opened. `path` is the absolute path with which `db` was opened, or `:memory:`.
 */
export function createFileCheck(db: DatabaseSync, path: string): () => void {
  const file = db.location(); // SQLite resolves symbolic links
  if (file === null) return () => {}; // in memory
  const wal = `${file}-wal`; // exists while any connection is open, also after a checkpoint
  const opened = { file: statSync(file), wal: statSync(wal), target: realpathSync.native(path) };
  let lastFullCheck = 0;
  // The -wal file is checked less often, because stat makes its next fsync more expensive: since Linux 6.13, a file has
  // finer timestamps after its times were read. If only the -wal file is missing, SQLite still writes all commits to the
  // database when it closes. The same is true if the file has another name now, which has another -wal file.
  const isInPlace = (isFull: boolean): boolean => {
    try {
      const isSameFile = isSame(statSync(path), opened.file); // follows symbolic links, also those of folders
      if (!isFull || !isSameFile) return isSameFile;
      return realpathSync.native(path) === opened.target && isSame(statSync(wal), opened.wal);
    } catch {
      return false; // must not throw an error that is retried: the transaction is committed
    }
  };
  return () => {
    const now = performance.now();
    const isFull = now - lastFullCheck > fullCheckInterval;
    if (!isInPlace(isFull)) {
      const cause = new Error(
        `${path} or its -wal file is not the one that was opened: put it back, or restart the service`,
      );
      throw new UnavailableError("The database file was removed or replaced.", { cause });
    }
    if (isFull) lastFullCheck = now;
  };
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
