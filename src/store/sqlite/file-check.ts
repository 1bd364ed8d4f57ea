// Detects that the file of an open SQLite database was moved, replaced or removed. SQLite does not: it continues to
// write to the deleted file, and all commits are lost when the process ends.
import { type Stats, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Unavailable } from "../../lib/index.ts";

const walCheckInterval = 100; // milliseconds

/** Returns a function that throws `Unavailable` if the file or the -wal file of `db` is no longer in place. */
export function createFileCheck(db: DatabaseSync): () => void {
  const file = db.location();
  if (file === null) return () => {}; // in memory
  const wal = `${file}-wal`; // exists while any connection is open, also after a checkpoint
  const opened = { file: statSync(file), wal: statSync(wal) };
  let lastWalCheck = 0;
  return () => {
    // The -wal file is checked less often, because stat makes its next fsync more expensive: since Linux 6.13, a file
    // has finer timestamps after its times were read. If only the -wal file is missing, SQLite still writes all commits
    // to the database when it closes.
    const now = performance.now();
    const isDue = now - lastWalCheck > walCheckInterval;
    if (!isSameFile(file, opened.file) || (isDue && !isSameFile(wal, opened.wal))) {
      const cause = new Error(
        `${file} or its -wal file is not the one that was opened: put it back, or restart the service`,
      );
      throw new Unavailable("The database file was removed or replaced.", { cause });
    }
    if (isDue) lastWalCheck = now;
  };
}

function isSameFile(path: string, { dev, ino }: Stats): boolean {
  try {
    const stats = statSync(path);
    return stats.ino === ino && stats.dev === dev;
  } catch {
    return false; // must not throw an error that is retried: the transaction is committed
  }
}
