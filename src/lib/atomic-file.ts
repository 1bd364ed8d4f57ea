// A file that is there whole or not at all: it is made under another name beside, and gets its own at the end.
import { randomBytes } from "node:crypto";
import { chmod, link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** What SQLite puts beside a file, too. */
const beside = ["", "-wal", "-shm", "-journal"];

/**
 * Lets `make` make a file, and when all of it is on the disk gives it the name `file`: in place of the one
 * that there is, or, `anew`, only where there is none. What fails leaves nothing behind; a process that is killed
 * leaves FILE.partial-…, which is in nobody's way. A file keeps its mode. Rejects with an Error that names the file.
 */
export async function writeAtomically<T>(
  file: string,
  make: (partial: string) => Promise<T>,
  { anew = false } = {},
): Promise<T> {
  const place = resolve(file); // SQLite takes some names, as they are, for something else
  const folder = dirname(place);
  const known = await lstat(place).catch(() => undefined);
  if (known && anew) throw new Error(`${place} is there already, and is left as it is: give another name.`);
  if (known && !known.isFile()) throw new Error(`${place} is not a regular file.`);
  // None is made: it may be where a disk is not mounted.
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw new Error(`There is no folder ${folder}.`);
  const partial = `${place}.partial-${randomBytes(4).toString("hex")}`;
  const work = async (): Promise<T> => {
    const result = await make(partial);
    if (known) await chmod(partial, known.mode & 0o777);
    await sync(partial, "r+");
    // Unlike renaming, this fails where another process has made the file in the meantime.
    if (anew) await link(partial, place).catch(() => claim(partial, place));
    else await rename(partial, place);
    await sync(folder, "r").catch(() => {}); // not every system lets a folder be synced
    return result;
  };
  const explain = (error: NodeJS.ErrnoException): never => {
    const said = error.message.replaceAll(partial, place); // nobody knows it by the other name
    throw new Error(error.code === undefined ? said : `${place} can't be made: ${said}.`, { cause: error });
  };
  const tidy = async (): Promise<void> => {
    for (const ending of beside) await rm(partial + ending, { force: true });
  };
  return work().catch(explain).finally(tidy);
}

// Where the file system has no links: for a moment the file is there and empty.
async function claim(partial: string, place: string): Promise<void> {
  await (await open(place, "wx", 0o600)).close();
  try {
    await rename(partial, place);
  } catch (error) {
    await rm(place);
    throw error;
  }
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  await file.sync().finally(() => file.close());
}
