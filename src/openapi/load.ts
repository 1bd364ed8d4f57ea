// Loads an OpenAPI document: from a file, with the files that it refers to, from a text, or from a parsed object.
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CORE_SCHEMA, defineScalarTag, intCoreTag, load as loadYaml, mergeTag, NOT_RESOLVED } from "js-yaml";
import { parseInteger } from "../lib/index.ts";
import type { OpenApi } from "./document-types.ts";

/** A loaded document. */
export interface LoadedDocument {
  /** The YAML or JSON text; undefined for a parsed object. */
  readonly text: string | undefined;
  /** The parsed document. Its references are unresolved, and lead to no other file. */
  readonly content: OpenApi;
}

// As deep as documents get that are written by people or tools. A stack overflow needs some thousand levels.
const maxDepth = 200;

// Integers that a double can't represent are bigint, as in request bodies.
const exactInt = defineScalarTag("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: [..."-+0123456789"],
  identify: () => false, // documents are only loaded
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
 * has it, or to the working directory. Nothing is loaded over the network. Rejects with an Error that names the fault.
 */
export async function loadDocument(source: string | URL | object): Promise<LoadedDocument> {
  if (typeof source === "object" && !(source instanceof URL)) {
    const url = pathToFileURL(`${process.cwd()}/document`);
    return { text: undefined, content: checkVersion(await bundle(source, url)) };
  }
  const url = source instanceof URL ? source : pathToFileURL(source);
  if (url.protocol !== "file:") throw new Error(`The document must be a file, and not ${url}. Download it first.`);
  const text = await readFile(url, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The document ${fileURLToPath(url)} can't be read: ${error.message}.`);
  });
  const content = parseText(text);
  // Most documents are one file.
  const isExternal = /["']?\$ref["']?\s*:\s*["']?[^#"'\s]/.test(text);
  return { text, content: checkVersion(isExternal ? await bundle(content, url) : content) };
}

/** Parses the text of a document that is one file. Throws an Error that names the fault. */
export function parseDocumentText(text: string): LoadedDocument {
  return { text, content: checkVersion(parseText(text)) };
}

// A text in JSON is parsed as such, because that takes a tenth of the time. js-yaml takes a sixth of the time of `yaml`.
function parseText(text: string): object {
  try {
    const hasLargeInteger = /[:[,]\s*-?\d{16}/.test(text);
    const content = /^\s*\{/.test(text) && !hasLargeInteger ? tryJson(text) : undefined;
    return (content ?? loadYaml(text, { schema, maxDepth, maxAliases: 10_000 })) as object;
  } catch (error) {
    throw new Error(`The document is invalid: ${(error as Error).message}`);
  }
}

// A flow mapping of YAML looks like JSON, and is rare.
function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
  try {
    // A copy without extensions, whose references belong to other tools. It is changed in place.
    const copy = structuredClone(content);
    removeExtensions(copy);
    await parser.bundle(fileURLToPath(url), copy as never, { resolve: { http: false } });
    return parser.schema as object;
  } catch (error) {
    throw new Error(`The document is invalid: ${(error as Error).message}`);
  }
}

// References below an $id are relative to that URI.
function hasFileReference(part: unknown, depth = 0): boolean {
  if (typeof part !== "object" || part === null || depth > maxDepth) return false;
  const { $ref, $id } = part as { readonly $ref?: unknown; readonly $id?: unknown };
  if (typeof $id === "string") return false;
  if (typeof $ref === "string" && !/^(#|[a-z][a-z\d+.-]*:)/i.test($ref)) return true;
  return Object.entries(part).some(([name, value]) => !isOpaque(name) && hasFileReference(value, depth + 1));
}

function removeExtensions(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  for (const [name, value] of Object.entries(part))
    if (name.startsWith("x-") && hasFileReference({ value })) delete (part as Record<string, unknown>)[name];
    else removeExtensions(value);
}

// Of extensions and examples, whose content is not part of the document.
function isOpaque(name: string): boolean {
  return name.startsWith("x-") || name === "example" || name === "value" || name === "default";
}
