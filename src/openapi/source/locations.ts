// Where the parts of a document are written: file, line and column.
import { createRequire } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { escapeToken, listAround, unescapeToken } from "./part.ts";

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

/** Where a part is written. */
export interface SourceLocation {
  /** The JSON pointer in the file. */
  readonly pointer: string;
  /** The path of the file, relative to the working directory if it is below it; undefined for a text or an object. */
  readonly file: string | undefined;
  /** From 1; undefined for a parsed object. */
  readonly line: number | undefined;
  /** From 1, in UTF-16 code units; undefined for a parsed object. */
  readonly column: number | undefined;
}

type FindOffset = (pointer: string) => number;

const require = createRequire(import.meta.url);

/**
 * Finds the lines and columns of places. A part that is not written, because an alias or a merge key has it, is where the part
 * around it is. Reads each file once for all of its places, because a large one takes seconds.
 */
export function locate(places: readonly SourcePlace[]): SourceLocation[] {
  const byFile = Map.groupBy(places, ({ file }) => file);
  const located = new Map<SourcePlace, SourceLocation>();
  for (const [file, own] of byFile) {
    const find = createFinder(file, new Set(own.map(({ pointer }) => pointer)));
    for (const place of own) located.set(place, { pointer: place.pointer, file: nameOf(file), ...find(place.pointer) });
  }
  return places.map((place) => located.get(place) as SourceLocation);
}

/** Returns a location as `books.yaml:12:7`, or as a JSON pointer if it is in no text. */
export function describeLocation({ pointer, file, line, column }: SourceLocation): string {
  if (line === undefined) return `#${pointer}`;
  return file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`;
}

/** Returns the location of a part of a file, or of a character, like `describeLocation`. */
export function describePlace(file: SourceFile, place: string | number): string {
  if (typeof place === "string")
    return locate([{ file, pointer: place }])
      .map(describeLocation)
      .join();
  return describeLocation({ pointer: "", file: nameOf(file), ...createLineFinder(file.text ?? "")(place) });
}

/** Returns the path of a file as messages have it: relative to the working directory if it is below it. */
export function toShortPath(url: URL): string {
  const path = fileURLToPath(url);
  const short = relative(process.cwd(), path);
  return short.startsWith("..") || short === "" ? path : short;
}

function nameOf({ url, text }: SourceFile): string | undefined {
  return url === undefined || text === undefined ? undefined : toShortPath(url);
}

function createFinder({ text, isJson }: SourceFile, pointers: ReadonlySet<string>) {
  if (text === undefined) return () => ({ line: undefined, column: undefined });
  const findLine = createLineFinder(text);
  const findOffset = isJson ? createJsonFinder(text, pointers) : createYamlFinder(text);
  return (pointer: string) => findLine(findOffset(pointer));
}

function createLineFinder(text: string) {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return (offset: number) => {
    let [low, high] = [0, starts.length]; // the line is in this range
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}

function createYamlFinder(text: string): FindOffset {
  const { isMap, isPair, isScalar, isSeq, parseDocument } = require("yaml") as typeof import("yaml");
  const document = parseDocument(text, { merge: true, logLevel: "silent", uniqueKeys: false });
  return (pointer) => {
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
    return offset;
  };
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+/gs;

interface Container {
  /** Undefined if no place is in it. */
  readonly pointer: string | undefined;
  readonly isArray: boolean;
  /** The pointer of its member that is read; undefined if no place is in that. */
  member: string | undefined;
  index: number;
  /** Whether the next text is the name of a member. */
  isName: boolean;
}

// Scans the text once for all pointers: a parser would build an object for each value.
function createJsonFinder(text: string, pointers: ReadonlySet<string>): FindOffset {
  const wanted = new Set([...pointers].flatMap(listAround));
  const offsets = new Map<string, number>([["", text.search(/\S/)]]);
  const toWanted = (around: string | undefined, name: string | number) => {
    const pointer = around === undefined ? undefined : `${around}/${escapeToken(`${name}`)}`;
    return pointer !== undefined && wanted.has(pointer) ? pointer : undefined;
  };
  const open: Container[] = [];
  for (const { 0: token, index: start } of text.matchAll(jsonToken)) {
    const around = open.at(-1);
    if (token === "}" || token === "]") open.pop();
    else if (around && token === ",") {
      around.index += 1;
      around.isName = !around.isArray;
    } else if (around?.isName) {
      around.isName = false;
      around.member = around.pointer === undefined ? undefined : toWanted(around.pointer, JSON.parse(token));
      if (around.member !== undefined) offsets.set(around.member, start);
    } else {
      if (around?.isArray) around.member = toWanted(around.pointer, around.index);
      if (around?.isArray && around.member !== undefined) offsets.set(around.member, start);
      const pointer = around ? around.member : "";
      if (token === "{" || token === "[")
        open.push({ pointer, isArray: token === "[", member: undefined, index: 0, isName: token === "{" });
    }
  }
  return (pointer) => {
    const written = listAround(pointer).find((part) => offsets.has(part));
    return offsets.get(written ?? "") ?? 0;
  };
}
