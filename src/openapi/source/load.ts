// Loads an OpenAPI document: from a file, with the files that it refers to, from a text, or from a parsed object.
import { fileURLToPath, pathToFileURL } from "node:url";
import { toJson } from "../../lib/index.ts";
import { bundle, readFiles } from "./bundle.ts";
import type { OpenApi } from "./document-types.ts";
import { checkSource, OutsideFile, parseSource, readSourceFile, refuse } from "./files.ts";
import { Findings } from "./findings.ts";
import type { SourceFile, SourcePlace } from "./locations.ts";
import { restoreReferences } from "./object-cycles.ts";
import { listAround } from "./part.ts";
import { hasFileReference } from "./references.ts";
import { checkSize } from "./text.ts";

/** A loaded document. */
export interface LoadedDocument {
  /** The YAML or JSON text; undefined for a parsed object. */
  readonly text: string | undefined;
  /** The text, if it is the whole document in JSON. */
  readonly json: string | undefined;
  /** The parsed document. Its references are unresolved, and lead to no other file. */
  readonly content: OpenApi;
  /** What is wrong with it so far, or would not be enforced. */
  readonly findings: Findings;
  /** Returns the place in its file of the part with a JSON pointer in `content`. */
  readonly placeOf: (pointer: string) => SourcePlace;
}

// Where the contents of documents were loaded: a command that has changed one loads it again.
const bases = new WeakMap<object, URL>();

/**
 * Loads a document from a path, a file URL, or a parsed object. A reference to another file is relative to the file that
 * has it, or to the working directory. It leads to the folder of the document, or to one that is allowed. Nothing is loaded
 * over the network. Rejects with an Error that names the problem.
 */
export async function loadSource(
  source: string | URL | object,
  allowed: readonly string[] = [],
): Promise<LoadedDocument> {
  if (typeof source === "object" && !(source instanceof URL)) {
    const toFile = (content: object) => ({ url: undefined, text: undefined, content, isJson: false });
    const restored = fits(source) ? source : restoreReferences(source); // another tool may have replaced them
    if (restored !== source && !fits(restored)) checkSource(toFile(source));
    return toDocument(toFile(restored), bases.get(source) ?? pathToFileURL(`${process.cwd()}/document`), allowed);
  }
  const url = source instanceof URL || /^https?:/i.test(source) ? new URL(source) : pathToFileURL(source);
  if (url.protocol !== "file:") throw new Error(`The document must be a file, and not ${url}. Download it first.`);
  return toDocument(await readSourceFile(url), url, allowed);
}

function fits(content: object): boolean {
  try {
    checkSize(content);
    return true;
  } catch {
    return false;
  }
}

/** Returns the paths of the files of a document: also of those that do not exist, and only its own if that is invalid. */
export async function listDocumentFiles(path: string, allowed: readonly string[] = []): Promise<string[]> {
  const url = pathToFileURL(path);
  const root = await readSourceFile(url).catch(() => undefined);
  if (root === undefined) return [fileURLToPath(url)];
  const files = await readFiles(root, url, allowed);
  return [...files, ...files.externalValues].flatMap(([href, file]) =>
    href.startsWith("file:///") && !(file instanceof OutsideFile) ? [fileURLToPath(href)] : [],
  );
}

/** Parses the text of a document that is one file. Throws an Error that names the problem. */
export function parseDocumentText(text: string): LoadedDocument {
  return toSingle(parseSource(text));
}

function toSingle(file: SourceFile): LoadedDocument {
  const { text, isJson } = file;
  checkVersion(file);
  const placeOf = (pointer: string) => ({ file, pointer });
  const findings = new Findings(placeOf);
  return { text, json: isJson ? text : undefined, content: file.content as OpenApi, findings, placeOf };
}

async function toDocument(file: SourceFile, base: URL, allowed: readonly string[]): Promise<LoadedDocument> {
  const single = toSingle(file);
  bases.set(single.content, base);
  // Most documents are one file.
  const canRefer = file.text === undefined || /\$ref["']?\s*:\s*["']?[^#"'\s]|externalValue/.test(file.text);
  if (!canRefer || !hasFileReference(file.content)) return single;
  let origins: ReadonlyMap<string, SourcePlace> = new Map();
  const placeOf = (pointer: string) => findOrigin(origins, file, pointer);
  const findings = new Findings(placeOf);
  const bundled = await bundle(file, base, allowed, findings.report);
  origins = bundled.origins;
  bases.set(bundled.content, base);
  checkSource({ ...file, text: undefined, content: bundled.content });
  return { text: single.text, json: undefined, content: bundled.content as OpenApi, findings, placeOf };
}

function findOrigin(origins: ReadonlyMap<string, SourcePlace>, root: SourceFile, pointer: string): SourcePlace {
  const outer = listAround(pointer).find((one) => origins.has(one)) ?? "";
  const origin = origins.get(outer) ?? { file: root, pointer: "" };
  return { file: origin.file, pointer: origin.pointer + pointer.slice(outer.length) };
}

function checkVersion(file: SourceFile): void {
  const { content } = file;
  const required = `it must have openapi: 3.0.x, 3.1.x or 3.2.x`;
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    const isEmpty = file.text?.trim() === "";
    refuse(file, isEmpty ? "it is empty" : `it is not an object: ${required}`, "");
  }
  const { openapi: version, swagger } = content as { readonly openapi?: unknown; readonly swagger?: unknown };
  if (typeof version === "string" && /^3\.[0-2]\.\d+/.test(version)) return;
  if (version !== undefined) refuse(file, `${required}, and not ${toJson(version)}`, "/openapi");
  if (swagger === undefined) refuse(file, required, "");
  throw new Error(
    `The document is of Swagger ${swagger}. Convert it to OpenAPI 3 first, for example with swagger2openapi.`,
  );
}
