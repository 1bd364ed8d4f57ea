// Reads and parses the files of a document.
import { isUtf8 } from "node:buffer";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describePlace, type SourceFile, toShortPath } from "./locations.ts";
import { checkSize, InvalidDocument, parseText } from "./text.ts";

/** A file that is in none of the folders from which the document is read. The message completes "The reference …". */
export class OutsideFile extends Error {
  /** The path of the file, as messages have it. */
  readonly file: string;

  constructor(path: string) {
    const [file = "", folder = ""] = [path, dirname(path)].map((one) => toShortPath(pathToFileURL(one)));
    const option = `--allow-folder ${folder}, or the option allowedFolders: ["${folder}"]`;
    super(`leaves the folder of the document: if you trust what it leads to, allow it with ${option}`);
    this.file = file;
  }
}

/**
 * Checks that a file to which a document refers is in one of these folders. Rejects with an OutsideFile, or an Error that names it, also
 * if it is a device or the like.
 */
export async function checkReferenced(url: URL, folders: readonly string[]): Promise<void> {
  if (url.protocol !== "file:") throw new Error(`${url} is not a file: download it first.`);
  // A symbolic link does not lead out of a folder. If a file does not exist, reading it has the reason.
  const toReal = (path: string) => realpath(path).catch(() => resolve(path));
  const [path = "", ...allowed] = await Promise.all([fileURLToPath(url), ...folders].map(toReal));
  if (!allowed.some((folder) => path.startsWith(join(folder, sep)))) throw new OutsideFile(path);
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) throw new Error(`${toShortPath(url)} is not a file.`);
}

/** Reads and parses a file. Rejects with an Error that names it. */
export async function readSourceFile(url: URL): Promise<SourceFile> {
  const bytes = await readBytes(url);
  const text = bytes.toString();
  if (!isUtf8(bytes)) refuse(toFile(text, url), "it is not in UTF-8: convert it", text.indexOf("\ufffd"));
  return parseSource(text, url);
}

/** Reads a file. Rejects with an Error that names it. */
export function readBytes(url: URL): Promise<Buffer> {
  reportToWatchMode(url);
  return readFile(url).catch(({ message }: NodeJS.ErrnoException) => {
    // The rest of the message is the path: ENOENT: no such file or directory, open '/books.yaml'.
    const [reason] = message.split(", ", 1);
    throw new Error(`The document ${toShortPath(url)} can't be read: ${reason}.`);
  });
}

// `node --watch` restarts a program if one of its modules changes, or a file that it reports in this way, as the loader of CommonJS
// does: https://github.com/nodejs/node/blob/v26.x/lib/internal/main/watch_mode.js. A file that does not exist is not watched.
function reportToWatchMode(url: URL): void {
  if (process.env.WATCH_REPORT_DEPENDENCIES) process.send?.({ "watch:require": [fileURLToPath(url)] });
}

/** Parses the text of a file. Throws an Error that names it. */
export function parseSource(text: string, url?: URL): SourceFile {
  return refuseInvalid(toFile(text, url), () => {
    const file = { url, text, ...parseText(text) };
    if (!file.isJson) checkSource(file); // JSON has no aliases
    return file;
  });
}

/** Checks the size of what a file has. Throws an Error that names the place. */
export function checkSource(file: SourceFile): void {
  refuseInvalid(file, () => checkSize(file.content));
}

function refuseInvalid<T>(file: SourceFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    return refuse(file, error.message, error.place);
  }
}

/** Throws an Error about a part of a file, or a character. `reason` completes "The document is invalid: …". */
export function refuse(file: SourceFile, reason: string, place: string | number): never {
  const name = file.url === undefined ? "" : ` ${toShortPath(file.url)}`;
  throw new Error(`The document${name} is invalid: ${reason} (${describePlace(file, place)}).`);
}

function toFile(text: string, url: URL | undefined): SourceFile {
  return { url, text, content: undefined, isJson: false };
}
