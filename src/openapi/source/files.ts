// Reads and parses the files of a document.
import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describeLocation, locate, locateOffset, type SourceFile, toShortPath } from "./locations.ts";
import { checkSize, InvalidPart, InvalidText, parseText } from "./text.ts";

/** Reads and parses a file to which another one refers. Rejects with an Error that names it, also if it is a device or the like. */
export async function readReferencedFile(url: URL): Promise<SourceFile> {
  if (url.protocol !== "file:") throw new Error(`${url} is not a file: download it first.`);
  const found = await stat(url).catch(() => undefined); // the reason is that of reading it
  if (found && !found.isFile()) throw new Error(`${toShortPath(url)} is not a file.`);
  return readSourceFile(url);
}

/** Reads and parses a file. Rejects with an Error that names it. */
export async function readSourceFile(url: URL): Promise<SourceFile> {
  reportToWatchMode(url);
  const bytes = await readFile(url).catch(({ message }: NodeJS.ErrnoException) => {
    // The rest of the message is the path: ENOENT: no such file or directory, open '/books.yaml'.
    const [reason] = message.split(", ", 1);
    throw new Error(`The document ${toShortPath(url)} can't be read: ${reason}.`);
  });
  const text = bytes.toString();
  if (!isUtf8(bytes)) refuse({ url, text }, "it is not in UTF-8: convert it", text.indexOf("\ufffd"));
  return parseSource(text, url);
}

// `node --watch` restarts a program if one of its modules changes, or a file that it reports in this way, as the loader of CommonJS
// does: https://github.com/nodejs/node/blob/v26.x/lib/internal/main/watch_mode.js. A file that does not exist is not watched.
function reportToWatchMode(url: URL): void {
  if (process.env.WATCH_REPORT_DEPENDENCIES) process.send?.({ "watch:require": [fileURLToPath(url)] });
}

/** Parses the text of a file. Throws an Error that names it. */
export function parseSource(text: string, url?: URL): SourceFile {
  try {
    const file = { url, text, ...parseText(text) };
    checkSource(file);
    return file;
  } catch (error) {
    if (!(error instanceof InvalidText)) throw error;
    return refuse({ url, text }, error.message, error.offset);
  }
}

/** Checks the size of what a file has. Throws an Error that names the place. */
export function checkSource(file: SourceFile): void {
  try {
    checkSize(file.content);
  } catch (error) {
    if (!(error instanceof InvalidPart)) throw error;
    refusePart(file, error.pointer, error.message);
  }
}

/** Throws an Error about a part of a file. `reason` completes "The document is invalid: …". */
export function refusePart(file: SourceFile, pointer: string, reason: string): never {
  const [location] = locate([{ file, pointer }]);
  throw new Error(`The document${nameOf(file)} is invalid: ${reason} (${location && describeLocation(location)}).`);
}

function refuse({ url, text }: Pick<SourceFile, "url" | "text">, reason: string, offset: number): never {
  const location = locateOffset({ url, text, content: undefined, isJson: false }, offset);
  throw new Error(`The document${nameOf({ url })} is invalid: ${reason} (${describeLocation(location)}).`);
}

function nameOf({ url }: Pick<SourceFile, "url">): string {
  return url === undefined ? "" : ` ${toShortPath(url)}`;
}
