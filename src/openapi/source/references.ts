// References between the files of a document, and what they lead to.
import { getOrAdd } from "../../lib/index.ts";
import { dataKeywords, isMapName } from "./fields.ts";
import { OutsideFile } from "./files.ts";
import type { SourceFile } from "./locations.ts";
import { countReference, decodeFragment, escapeToken, isReferenceWithout, memberOf, unescapeToken } from "./part.ts";

type Json = Readonly<Record<string, unknown>>;

const maxCycle = 100; // references

/** A part of a file. */
export interface Target {
  /** The URL of the file. */
  readonly href: string;
  /** The JSON pointer in the file. */
  readonly pointer: string;
  readonly value: unknown;
}

/** The files of a document, by URL; an Error for one that can't be read. */
export class Files extends Map<string, SourceFile | Error> {
  /** The files of examples (`externalValue`), by URL. */
  readonly externalValues = new Map<string, Buffer | Error>();
  readonly #names = new Map<string, string>(); // URIs ($self), by URL
  readonly #named = new Map<string, string>(); // URLs, by $self

  override set(url: string, file: SourceFile | Error): this {
    const name = selfOf((file as SourceFile).content, url);
    if (name !== undefined) this.#names.set(url, name);
    if (name !== undefined && !this.#named.has(name)) this.#named.set(name, url);
    return super.set(url, file);
  }

  /**
   * Returns the URL of the file that a reference in the file `from` means; undefined if it is not a URI. A file is found by its $self
   * (OpenAPI 3.2, section 4.1.2.2), to which its own references are relative. Beside a file whose $self is not a place, such as one with
   * https, are those that are beside it.
   */
  locate(reference: string, from: string): string | undefined {
    const [path = ""] = reference.split("#");
    if (path === "") return from;
    const own = this.#names.get(from);
    const uri = URL.parse(path, own ?? from)?.href;
    const known = uri === undefined ? undefined : this.#named.get(uri);
    return known ?? (uri?.startsWith("file:") ? uri : URL.parse(path, from)?.href);
  }

  /** Returns whether a reference in the file `from` leads to another file, or to a file by its $self. */
  isFileReference(reference: string, from: string): boolean {
    if (reference.startsWith("#")) return false;
    return isFileReference(reference) || this.has(this.locate(reference, from) ?? "");
  }
}

/** Returns the URI of a document of OpenAPI 3.2, which is at `url`; undefined if it declares none. */
function selfOf(content: unknown, url: string): string | undefined {
  const { openapi, $self } = Object(content) as Json;
  return typeof $self === "string" && /^3\.[2-9]/.test(`${openapi}`) ? URL.parse($self, url)?.href : undefined;
}

/** Returns whether a document refers to other files, or has a URI by which it can refer to itself. */
export function hasFileReference(document: unknown): boolean {
  return (
    typeof (document as Json).$self === "string" ||
    ["$ref", "externalValue"].some((field) => listReferences(document, field).length > 0)
  );
}

/** Returns the URLs of the files to which the fields `$ref` or `externalValue` of a file refer. */
export function listFiles(files: Files, href: string, field = "$ref"): URL[] {
  const references = listReferences((files.get(href) as SourceFile).content, field);
  return references.flatMap((reference) => URL.parse(files.locate(reference, href) ?? "") ?? []);
}

// `isMap` tells that the names are those of the author.
function listReferences(part: unknown, field: string, isMap = false): string[] {
  if (typeof part !== "object" || part === null || isBase(part, isMap)) return [];
  const reference = (part as Json)[field];
  const others = Object.entries(part).flatMap(([name, value]) =>
    isMap || !isData(name, value) ? listReferences(value, field, !isMap && isMapName(name)) : [],
  );
  const isFound = field === "$ref" ? isFileReference(reference) : typeof reference === "string";
  return isFound ? [reference as string, ...others] : others;
}

/** Returns a reference to a place in the same document. */
export function toReference(pointer: string): string {
  return `#${encodeURI(pointer).replaceAll("#", "%23")}`;
}

/** Returns whether a reference leads to another file. */
export function isFileReference(reference: unknown): reference is string {
  return typeof reference === "string" && !/^(#|(?!file:)[a-z][a-z\d+.-]*:)/i.test(reference);
}

/** Returns whether the references below a part are relative to its $id, and lead to no files. */
export function isBase(part: object, isMap: boolean): boolean {
  return !isMap && typeof (part as Json).$id === "string";
}

/** Returns whether a member is no part of the document: an extension, or a value of the API. */
export function isData(name: string, value: unknown): boolean {
  return name.startsWith("x-") || dataKeywords.test(name) || (name === "examples" && Array.isArray(value));
}

/** Returns what a reference in the file `href` leads to. Throws an Error that completes "The reference …" if that is nothing. */
export function findTarget(files: Files, reference: string, href: string, passed = { count: 0 }): Target {
  const [, fragment = ""] = reference.split("#");
  const url = files.locate(reference, href);
  if (url === undefined) throw new Error("is not a URI");
  const file = files.get(url);
  if (file === undefined) throw new Error("leads to no file: download it first, and refer to it by a relative path");
  if (file instanceof OutsideFile) throw file;
  if (file instanceof Error) throw new Error(`leads to no document: ${file.message.replace(/\.$/, "")}`);
  const isPointer = fragment === "" || fragment.startsWith("/");
  const pointer = isPointer ? decodeFragment(fragment) : anchorsOf(file).get(fragment);
  if (pointer === undefined)
    throw new Error(`leads to nothing: no schema has the $anchor ${fragment}; a path begins with #/`);
  // Tokens can lead through references.
  let target: Target = { href: url, pointer: "", value: file.content };
  for (const token of pointer.split("/").slice(1)) {
    const key = unescapeToken(token);
    while (isReferenceWithout(target.value, key)) {
      countReference(passed);
      target = findTarget(files, target.value.$ref, target.href, passed);
    }
    const value = memberOf(target.value, key);
    target = { href: target.href, pointer: `${target.pointer}/${token}`, value };
  }
  return target;
}

/** Returns whether a part is a reference that leads, by other ones, back to itself. */
export function leadsToItself(files: Files, target: Target): boolean {
  const seen = new Set<unknown>();
  let { href, value } = target;
  // A longer cycle is found when the document is checked.
  while (seen.size < maxCycle) {
    const { $ref } = Object(value) as Json;
    if (typeof $ref !== "string") return false;
    if (seen.has(value)) return true;
    seen.add(value);
    try {
      ({ href, value } = findTarget(files, $ref, href));
    } catch {
      return false; // reported at its own place
    }
  }
  return false;
}

const anchors = new WeakMap<SourceFile, ReadonlyMap<string, string>>();

// The pointers of the schemas with anchors, by name.
function anchorsOf(file: SourceFile): ReadonlyMap<string, string> {
  return getOrAdd(anchors, file, () => collectAnchors(file.content, "", new Map()));
}

function collectAnchors(part: unknown, pointer: string, found: Map<string, string>): Map<string, string> {
  if (typeof part !== "object" || part === null) return found;
  const { $anchor, $dynamicAnchor } = part as Json;
  for (const name of [$anchor, $dynamicAnchor])
    if (typeof name === "string" && !found.has(name)) found.set(name, pointer);
  for (const [key, value] of Object.entries(part)) collectAnchors(value, `${pointer}/${escapeToken(key)}`, found);
  return found;
}
