// The files of a document, and the places of their parts.
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { LineCounter } from "yaml";
import { unescapeToken } from "./part.ts";
import { parseText } from "./text.ts";

/** A file of a document. */
export interface SourceFile {
  /** Undefined for a text that is in no file. */
  readonly url: URL | undefined;
  /** Undefined for a parsed object. */
  readonly text: string | undefined;
  readonly content: unknown;
  readonly isJson: boolean;
}

/** A part of a file. */
export interface SourcePlace {
  readonly file: SourceFile;
  /** The JSON pointer in the file. */
  readonly pointer: string;
}

const require = createRequire(import.meta.url);

/** Reads and parses a file to which another one refers. Rejects with an Error that names it, also if it is a device or the like. */
export async function readReferencedFile(url: URL): Promise<SourceFile> {
  if (url.protocol !== "file:") throw new Error(`${url} is not a file: download it first.`);
  const found = await stat(url).catch(() => undefined); // the reason is that of reading it
  if (found && !found.isFile()) throw new Error(`${fileURLToPath(url)} is not a file.`);
  return readSourceFile(url);
}

/** Reads and parses a file. Rejects with an Error that names it. */
export async function readSourceFile(url: URL): Promise<SourceFile> {
  const text = await readFile(url, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The document ${fileURLToPath(url)} can't be read: ${error.message}.`);
  });
  return parseSource(text, url);
}

/** Parses the text of a file. Throws an Error that names it. */
export function parseSource(text: string, url?: URL): SourceFile {
  try {
    return { url, text, ...parseText(text) };
  } catch (error) {
    const name = url === undefined ? "" : ` ${nameOf(url)}`;
    throw new Error(`The document${name} is invalid: ${(error as Error).message.trimEnd().replace(/\.$/, "")}.`);
  }
}

function nameOf(url: URL): string {
  const path = fileURLToPath(url);
  const short = relative(process.cwd(), path);
  return short.startsWith("..") || short === "" ? path : short;
}

/** Finds the lines of places. Reads each text once, when it is asked first: a large one takes seconds. */
export class Locator {
  readonly #finders = new Map<SourceFile, (pointer: string) => readonly [line: number, column: number]>();

  /** Returns a place as `books.yaml:12:7`, or as a JSON pointer if it is in no file. */
  describe({ file, pointer }: SourcePlace): string {
    const { text, url, isJson } = file;
    if (text === undefined) return `#${pointer}`;
    const find = this.#finders.get(file) ?? (isJson ? createJsonFinder(text) : createYamlFinder(text));
    this.#finders.set(file, find);
    const [line, column] = find(pointer);
    return url ? `${nameOf(url)}:${line}:${column}` : `line ${line}, column ${column}`;
  }
}

function createYamlFinder(text: string) {
  const { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } = require("yaml") as typeof import("yaml");
  const lines: LineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, logLevel: "silent", uniqueKeys: false });
  return (pointer: string): [number, number] => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const token of pointer.split("/").slice(1)) {
      const key = unescapeToken(token);
      const next = isMap(node)
        ? node.items.find(
            (pair) => isPair(pair) && `${isScalar(pair.key) ? (pair.key.source ?? pair.key.value) : ""}` === key,
          )
        : isSeq(node)
          ? node.items[Number(key)]
          : undefined;
      if (next === undefined) break; // behind an alias or a merge key
      const position = (isPair(next) ? next.key : next) as { range?: readonly [number, number, number] | null };
      offset = position.range?.[0] ?? offset;
      node = isPair(next) ? next.value : next;
    }
    const { line, col } = lines.linePos(offset);
    return [line, col];
  };
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+/gs;

// Scans the text up to the place: a parser would build an object for each value.
function createJsonFinder(text: string) {
  return (pointer: string): [number, number] => {
    const offset = findInJson(text, pointer.split("/").slice(1).map(unescapeToken));
    const before = text.slice(0, offset);
    return [before.split("\n").length, offset - before.lastIndexOf("\n")];
  };
}

function findInJson(text: string, keys: readonly string[]): number {
  let depth = 0; // of the containers around the token
  let found = 0; // how many keys are found: the containers of the others are passed over
  let index = 0; // of the item of the array that is searched
  let isArray = false;
  let isKey = false;
  let offset = text.search(/\S/);
  for (const { 0: token, index: start } of text.matchAll(jsonToken)) {
    if (found === keys.length) return offset;
    const isDirect = depth === found + 1;
    if (isDirect && isArray && !/^[\],]$/.test(token) && `${index}` === keys[found]) {
      offset = start;
      found += 1;
      index = 0;
    } else if (isDirect && !isArray && isKey && token.startsWith('"') && JSON.parse(token) === keys[found]) {
      offset = start;
      found += 1;
      isKey = false;
      continue;
    }
    if (token === "{" || token === "[") {
      depth += 1;
      if (depth === found + 1) {
        isArray = token === "[";
        isKey = true;
        index = 0;
      }
    } else if (token === "}" || token === "]") {
      if (depth === found + 1) return offset; // nothing more is written
      depth -= 1;
    } else if (token === "," && isDirect) {
      index += 1;
      isKey = true;
    } else if (isDirect) isKey = false;
  }
  return offset;
}
