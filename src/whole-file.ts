// A file that is there whole or not at all: it is made under another name beside, and gets its own at the end.
import { randomBytes } from "node:crypto";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** What SQLite puts beside a file, too. */
const beside = ["", "-wal", "-shm", "-journal"];

/**
 * Lets `make` make a file, and when all of it is on the disk gives it the name `file`: in place of the one
 * that there is, or, `anew`, only where there is none. What fails leaves nothing behind; a process that is killed
 * leaves FILE.partial-…, which is in nobody's way.
 */
export async function makeFile<T>(
  file: string,
  make: (partial: string) => Promise<T>,
  { anew = false } = {},
): Promise<T> {
  const known = await lstat(file).catch(() => undefined);
  if (known && anew) throw new Error(`${file} is there already, and is left as it is: give another name.`);
  if (known && !known.isFile()) throw new Error(`${file} is not a regular file.`);
  const partial = `${file}.partial-${randomBytes(4).toString("hex")}`;
  try {
    const result = await make(partial);
    await sync(partial, "r+");
    // Unlike renaming, this fails where another process has made the file in the meantime.
    if (anew) await link(partial, file);
    else await rename(partial, file);
    await sync(dirname(file), "r").catch(() => {}); // not every system lets a folder be synced
    return result;
  } finally {
    for (const ending of beside) await rm(partial + ending, { force: true });
  }
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  await file.sync().finally(() => file.close());
}
