// Atomic files: each is written under a temporary name in the same folder, synced to the disk and renamed.
//
// Not write-file-atomic, which needs the content in memory: here, SQLite and streams write the file themselves.
import { randomBytes } from "node:crypto";
import { chmod, link, lstat, open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

export interface AtomicWriteOptions {
  /** Rejects if the file exists, instead of replacing it. */
  readonly exclusive?: boolean;
  /** The suffixes of further files that `write` may leave beside the temporary one, and that are removed. */
  readonly suffixes?: readonly string[];
}

/**
 * Calls `write` with a temporary path, syncs the file that it wrote to the disk, and renames it to `file`. Returns the
 * result of `write`. Replaces an existing file and keeps its mode. A failure leaves nothing behind; a process that is
 * killed leaves FILE.partial-…, which no later write uses. Rejects with an Error that names `file`.
 */
export async function writeAtomically<T>(
  file: string,
  write: (partial: string) => Promise<T>,
  { exclusive = false, suffixes = [] }: AtomicWriteOptions = {},
): Promise<T> {
  const target = resolve(file); // SQLite gives relative names such as :memory: and file:x another meaning
  const mode = await checkTarget(target, exclusive);
  const partial = `${target}.partial-${randomBytes(4).toString("hex")}`;
  const writeAndRename = async (): Promise<T> => {
    const result = await write(partial);
    if (mode !== undefined) await chmod(partial, mode);
    await sync(partial, "r+");
    // Unlike a rename, a link fails if another process has created the file in the meantime.
    if (exclusive) await link(partial, target).catch(() => renameExclusively(partial, target));
    else await rename(partial, target);
    await sync(dirname(target), "r").catch(() => {}); // not every system can sync a folder
    return result;
  };
  const removePartial = async (): Promise<void> => {
    for (const suffix of ["", ...suffixes]) await rm(partial + suffix, { force: true });
  };
  return writeAndRename()
    .catch((error: NodeJS.ErrnoException) => {
      throw toError(error, partial, target);
    })
    .finally(removePartial);
}

// Returns the mode of an existing file.
async function checkTarget(target: string, exclusive: boolean): Promise<number | undefined> {
  const existing = await lstat(target).catch(() => undefined);
  if (existing && exclusive) throw new Error(`${target} already exists; choose another name.`);
  if (existing && !existing.isFile()) throw new Error(`${target} is not a regular file.`);
  // A missing folder is not created, because it may be the mount point of a disk that is not mounted.
  const folder = dirname(target);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Error(`The directory ${folder} does not exist.`);
  return existing && existing.mode & 0o777;
}

// For file systems without hard links. The file exists and is empty for a moment.
async function renameExclusively(partial: string, target: string): Promise<void> {
  await (await open(target, "wx", 0o600)).close();
  try {
    await rename(partial, target);
  } catch (error) {
    await rm(target);
    throw error;
  }
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  await file.sync().finally(() => file.close());
}

// Reports the path that the caller passed instead of the temporary one.
function toError(error: NodeJS.ErrnoException, partial: string, target: string): Error {
  const message = error.message.replaceAll(partial, target);
  const isSystemError = error.code !== undefined;
  return new Error(isSystemError ? `${target} can't be created: ${message}.` : message, { cause: error });
}
