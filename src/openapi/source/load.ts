// Loads an OpenAPI document: from a file, with the files that it refers to, from a text, or from a parsed object.
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CORE_SCHEMA, defineScalarTag, intCoreTag, load as loadYaml, mergeTag, NOT_RESOLVED } from "js-yaml";
import { parseInteger, parseJson } from "../../lib/index.ts";
import type { OpenApi } from "./document-types.ts";
import { dataKeywords, isMapName } from "./fields.ts";

/** A loaded document. */
export interface LoadedDocument {
  /** The YAML or JSON text; undefined for a parsed object. */
  readonly text: string | undefined;
  /** The text, if it is the whole document in JSON. */
  readonly json: string | undefined;
  /** The parsed document. Its references are unresolved, and lead to no other file. */
  readonly content: OpenApi;
}

// As deep as documents get that are written by people or tools. A stack overflow needs some thousand levels.
const maxDepth = 200;
const tooDeep = `The document is invalid: it is nested more than ${maxDepth} levels deep.`;
// The number of values in a document with its aliases repeated: this many for each value that is written, and these.
const maxRepetition = 10;
const minCount = 100_000;

// Integers that a double can't represent are bigint, as in request bodies.
const exactInt = defineScalarTag("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: [..."-+0123456789"],
  identify: intCoreTag.identify,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return value === NOT_RESOLVED || Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source)
      ? value
      : parseInteger(source.replace("+", ""));
  },
});
// As in YAML 1.2, so that a date stays a text. Merge keys are of YAML 1.1, but common in documents.
const schema = CORE_SCHEMA.withTags(exactInt, mergeTag);

/**
 * Loads a document from a path, a file URL, or a parsed object. A reference to another file is relative to the file that
 * has it, or to the working directory. Nothing is loaded over the network. Rejects with an Error that names the problem.
 */
export async function loadDocument(source: string | URL | object): Promise<LoadedDocument> {
  if (typeof source === "object" && !(source instanceof URL)) {
    const url = pathToFileURL(`${process.cwd()}/document`);
    checkSize(source);
    return { text: undefined, json: undefined, content: checkVersion(await bundle(source, url)) };
  }
  const url = source instanceof URL || /^https?:/i.test(source) ? new URL(source) : pathToFileURL(source);
  if (url.protocol !== "file:") throw new Error(`The document must be a file, and not ${url}. Download it first.`);
  const text = await readFile(url, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The document ${fileURLToPath(url)} can't be read: ${error.message}.`);
  });
  const loaded = parseDocumentText(text);
  // Most documents are one file.
  if (!/["']?\$ref["']?\s*:\s*["']?[^#"'\s]/.test(text)) return loaded;
  const content = checkVersion(await bundle(loaded.content, url));
  return content === loaded.content ? loaded : { text, json: undefined, content };
}

/** Parses the text of a document that is one file. Throws an Error that names the problem. */
export function parseDocumentText(text: string): LoadedDocument {
  const { content, isJson } = parseText(text);
  return { text, json: isJson ? text : undefined, content: checkVersion(content) };
}

// JSON is parsed as such, because that takes a fifth of the time. js-yaml takes a sixth of the time of `yaml`.
function parseText(text: string): { readonly content: object; readonly isJson: boolean } {
  const json = /^\s*\{/.test(text) ? tryJson(text) : undefined;
  let content = json;
  try {
    content ??= loadYaml(text, { schema, maxDepth, maxAliases: 10_000 });
  } catch (error) {
    throw new Error(`The document is invalid: ${(error as Error).message}`);
  }
  checkSize(content);
  return { content: content as object, isJson: json !== undefined };
}

// A flow mapping of YAML looks like JSON, and is rare. JSON with the same name twice is also left to YAML, which rejects it.
function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

interface Size {
  /** The number of values in it. */
  readonly count: number;
  readonly depth: number;
}

// Checks the size of a value with its aliases repeated. Throws an Error if it is too deep, contains itself, or is too large.
function checkSize(value: unknown): void {
  const sizes = new Map<object, Size>();
  let written = 0;
  const measure = (part: unknown, level: number): Size => {
    if (typeof part !== "object" || part === null) return { count: 1, depth: 0 };
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (level > maxDepth) throw new Error(tooDeep);
    let [count, depth] = [1, 0];
    const members = Object.values(part);
    for (const member of members) {
      const size = measure(member, level + 1);
      count += size.count;
      depth = Math.max(depth, size.depth);
    }
    written += 1 + members.length;
    const size = { count, depth: depth + 1 };
    sizes.set(part, size);
    return size;
  };
  const { count, depth } = measure(value, 0);
  if (depth > maxDepth) throw new Error(tooDeep);
  if (count > minCount + maxRepetition * written)
    throw new Error("The document is invalid: its aliases repeat too many values.");
}

function checkVersion(content: unknown): OpenApi {
  const version = (content as { openapi?: unknown } | null)?.openapi;
  if (typeof version === "string" && /^3\.[0-2]\.\d+/.test(version)) return content as OpenApi;
  const swagger = (content as { swagger?: unknown } | null)?.swagger;
  throw new Error(
    swagger === undefined
      ? "The document is invalid: it must have openapi: 3.0.x, 3.1.x or 3.2.x."
      : `The document is of Swagger ${swagger}. Convert it to OpenAPI 3 first, for example with swagger2openapi.`,
  );
}

// Moves what other files contain into the document, so that all references lead to a place in it.
async function bundle(content: object, url: URL): Promise<object> {
  if (!hasFileReference(content)) return content;
  const { $RefParser } = await import("@apidevtools/json-schema-ref-parser"); // most documents do not need it
  const parser = new $RefParser();
  // A copy, because it is changed in place.
  const copy = removeExtensions(structuredClone(content));
  try {
    await parser.bundle(fileURLToPath(url), copy as never, {
      resolve: { http: false },
      parse: {
        json: false,
        yaml: false,
        text: false,
        binary: false,
        file: { order: 1, canParse: true, parse: parseFile },
      },
    });
  } catch (error) {
    throw new Error(`The document is invalid: ${(error as Error).message}`);
  }
  checkSize(parser.schema);
  encodeReferences(parser.schema);
  return parser.schema as object;
}

// The parser writes the braces of a path as they are, which a URI does not allow (RFC 3986, section 3.5).
function encodeReferences(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    if (name === "$ref" && typeof value === "string")
      Object.assign(part, { $ref: value.replace(/[{}]/g, encodeURIComponent) });
    else encodeReferences(value);
  }
}

function parseFile({ data }: { readonly data: unknown }): object {
  return removeExtensions(parseText(String(data)).content);
}

// References below an $id are relative to that URI. `isMap` tells that the names are those of the author.
function hasFileReference(part: unknown, isMap = false): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { $ref, $id } = part as { readonly $ref?: unknown; readonly $id?: unknown };
  if (typeof $id === "string" && !isMap) return false;
  if (typeof $ref === "string" && !/^(#|[a-z][a-z\d+.-]*:)/i.test($ref)) return true;
  return Object.entries(part).some(
    ([name, value]) => (isMap || !isData(name, value)) && hasFileReference(value, !isMap && isMapName(name)),
  );
}

// Removes extensions with references, which belong to other tools.
function removeExtensions<T>(part: T, isMap = false): T {
  if (typeof part !== "object" || part === null) return part;
  for (const [name, value] of Object.entries(part))
    if (!isMap && name.startsWith("x-") && hasFileReference([value])) delete (part as Record<string, unknown>)[name];
    else removeExtensions(value, !isMap && isMapName(name));
  return part;
}

// Extensions, and values of the API, whose content is not part of the document.
function isData(name: string, value: unknown): boolean {
  return name.startsWith("x-") || dataKeywords.test(name) || (name === "examples" && Array.isArray(value));
}
