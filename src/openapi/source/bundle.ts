// Makes one document of several files: what another file has moves into the components of the document, so that each reference
// leads to a place in it.
import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { getOrAdd, setOwn } from "../../lib/index.ts";
import { isMapName } from "./fields.ts";
import { checkReferenced, OutsideFile, readBytes, readSourceFile } from "./files.ts";
import type { Report } from "./findings.ts";
import type { SourceFile, SourcePlace } from "./locations.ts";
import { escapeToken, listAround, unescapeToken } from "./part.ts";
import {
  Files,
  findTarget,
  isBase,
  isData,
  isFileReference,
  leadsToItself,
  listFiles,
  type Target,
  toReference,
} from "./references.ts";

/** A document without references to other files. */
export interface Bundle {
  readonly content: object;
  /** Where parts come from, by their pointers in the bundle. All others come from where the part around them does. */
  readonly origins: ReadonlyMap<string, SourcePlace>;
}

type Json = Readonly<Record<string, unknown>>;

// The components that have the parts of a field. Those of all other fields are schemas.
const sections: Readonly<Record<string, string>> = {
  callbacks: "callbacks",
  content: "mediaTypes",
  examples: "examples",
  headers: "headers",
  links: "links",
  mediaTypes: "mediaTypes",
  parameters: "parameters",
  requestBodies: "requestBodies",
  requestBody: "requestBodies",
  responses: "responses",
  securitySchemes: "securitySchemes",
};
// Path items are copied to where they are used, because 3.0 has no section for them. The names in a callback are expressions.
const isOfPathItems = /^(paths|webhooks|pathItems)$|[/{]/;

const externalValues = new WeakMap<object, Buffer>();

/** Returns the content of the `externalValue` of an example in a bundled document; undefined if it was not read. */
export function externalValueOf(example: object): Buffer | undefined {
  return externalValues.get(example);
}

/**
 * Bundles a document. The references of `root` are relative to `base`. Reports each reference to a file that can't be read or is
 * outside of its folder and those that are allowed, and to nothing. Nothing is loaded over the network.
 */
export async function bundle(root: SourceFile, base: URL, allowed: readonly string[], report: Report): Promise<Bundle> {
  return new Bundler(await readFiles(root, base, allowed), base.href, report).run();
}

/** Reads the files to which a document refers, at any depth, from its folder and those that are allowed. Returns them with the document. */
export async function readFiles(root: SourceFile, base: URL, allowed: readonly string[]): Promise<Files> {
  const folders = [fileURLToPath(new URL(".", base)), ...allowed];
  const files = new Files().set(base.href, root);
  const read = <T>(url: URL, readFile: (url: URL) => Promise<T>): Promise<T | Error> =>
    checkReferenced(url, folders)
      .then(() => readFile(url))
      .catch((error: Error) => error);
  for (const [href, file] of files) {
    // grows while it is read
    if (file instanceof Error) continue;
    for (const url of listFiles(files, href))
      if (!files.has(url.href)) files.set(url.href, await read(url, readSourceFile));
    for (const url of listFiles(files, href, "externalValue"))
      if (!files.externalValues.has(url.href)) files.externalValues.set(url.href, await read(url, readBytes));
  }
  return files;
}

/** A part that is copied, and where it comes to be. */
interface Source extends Target {
  readonly out: string;
  /** The field that has the part, or has the map or list with it. */
  readonly field: string;
  /** Whether its names are those of the author. */
  readonly isMap: boolean;
}

class Bundler {
  readonly #files: Files;
  readonly #root: string;
  readonly #report: Report;
  readonly #origins = new Map<string, SourcePlace>();
  readonly #pointers = new Map<string, string>(); // in the bundle, by place
  readonly #names = new Map<string, Set<string>>(); // of components, by section
  readonly #waiting: { readonly section: string; readonly name: string; readonly source: Source }[] = [];
  readonly #open = new Set<string>(); // the places whose copy has begun where they are used

  constructor(files: Files, root: string, report: Report) {
    this.#files = files;
    this.#root = root;
    this.#report = report;
  }

  run(): Bundle {
    const root = { href: this.#root, pointer: "", value: (this.#files.get(this.#root) as SourceFile).content };
    this.#reserveComponents((Object((root.value as Json).components) ?? {}) as Json);
    const content = this.#copy({ ...root, out: "", field: "", isMap: false }) as Record<string, unknown>;
    const components = { ...Object(content.components) } as Record<string, Record<string, unknown>>;
    for (const section of Object.keys(components)) components[section] = { ...components[section] };
    for (const { section, name, source } of this.#waiting) {
      // grows while it is read
      components[section] ??= {};
      setOwn(components[section], name, this.#copy(source));
    }
    if (this.#waiting.length > 0) content.components = components;
    return { content, origins: this.#origins };
  }

  // The names of the document's own components. One that is only a reference to a file is what the file has.
  #reserveComponents(components: Json): void {
    for (const [section, members] of Object.entries(components)) {
      this.#names.set(section, new Set(Object.keys(Object(members))));
      for (const [name, member] of Object.entries(Object(members) as Json)) {
        const { $ref, ...others } = Object(member) as Json;
        const target =
          isFileReference($ref) && Object.keys(others).length === 0 ? this.#find($ref, this.#root) : undefined;
        if (target && !this.#pointers.has(keyOf(target)))
          this.#place(target, `/components/${escapeToken(section)}/${escapeToken(name)}`);
      }
    }
  }

  #place(target: Target, out: string): void {
    this.#pointers.set(keyOf(target), out);
    const file = this.#files.get(target.href) as SourceFile;
    this.#origins.set(out, { file, pointer: target.pointer });
  }

  #copy(source: Source): unknown {
    const { value, isMap, field } = source;
    if (typeof value !== "object" || value === null || isBase(value, isMap)) return value;
    const { $ref, externalValue } = value as Json;
    if (typeof $ref === "string" && (!isMap || isFileReference($ref))) return this.#copyReference(source, $ref);
    if (Array.isArray(value)) return value.map((item, index) => this.#copy(below(source, `${index}`, item, field)));
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      const isPlain = !isMap && isData(name, member);
      const own = isMap ? field : name;
      const child = { ...below(source, name, member, own), isMap: !isMap && isMapName(name) };
      setOwn(
        copy,
        name,
        isPlain
          ? member
          : name === "mapping" && field === "discriminator"
            ? this.#copyMapping(child)
            : this.#copy(child),
      );
    }
    if (field === "examples" && !isMap && typeof externalValue === "string")
      this.#addExternalValue(copy, externalValue, source);
    return copy;
  }

  #addExternalValue(example: object, externalValue: string, { href, out }: Source): void {
    const found = this.#files.externalValues.get(this.#files.locate(externalValue, href) ?? "");
    if (found !== undefined && !(found instanceof Error)) return void externalValues.set(example, found);
    const message = found?.message.replace(/\.$/, "") ?? "it is not a URI";
    const reason = `has the externalValue ${externalValue}, which ${found instanceof OutsideFile ? "" : "is not read: "}${message}`;
    this.#report("external-value", `The example at ${out}`, reason, out);
  }

  #copyReference(source: Source, reference: string): unknown {
    const { href, value, out, field, isMap } = source;
    const { $ref: _, ...siblings } = value as Json;
    const isInRoot = href === this.#root && !this.#files.isFileReference(reference, href);
    const others = Object.keys(siblings).length > 0 ? (this.#copy({ ...source, value: siblings }) as Json) : {};
    const target = isInRoot ? undefined : this.#find(reference, href, out);
    if (target === undefined) return { ...others, $ref: reference };
    const known = this.#pointerTo(target);
    const isHere = known === out || (known === undefined && (isMap || isOfPathItems.test(field)));
    if (!isHere) return { ...others, $ref: toReference(known ?? this.#addComponent(target, field)) };
    const key = keyOf(target);
    if (this.#open.has(key)) {
      this.#report("reference", `The reference ${reference}`, "leads to itself", out);
      return others;
    }
    this.#open.add(key);
    this.#place(target, out);
    const copy = this.#copy({ ...source, ...target });
    this.#open.delete(key);
    return Object.keys(others).length > 0 ? { ...(copy as Json), ...others } : copy;
  }

  // The values are references, or names of schemas.
  #copyMapping(source: Source): unknown {
    if (typeof source.value !== "object" || source.value === null) return source.value;
    const entries = Object.entries(source.value).map(([name, value]) => {
      const isLocal = source.href === this.#root && /^#/.test(`${value}`);
      const isReference = typeof value === "string" && /[#/.]/.test(value) && !isLocal;
      const target = isReference ? this.#find(value, source.href) : undefined;
      return [name, target ? toReference(this.#pointerTo(target) ?? this.#addComponent(target, "")) : value];
    });
    return Object.fromEntries(entries);
  }

  // Also of a part of what has been placed.
  #pointerTo({ href, pointer }: Target): string | undefined {
    if (href === this.#root) return pointer;
    const outer = listAround(pointer).find((one) => this.#pointers.has(`${href}#${one}`));
    return outer === undefined ? undefined : this.#pointers.get(`${href}#${outer}`) + pointer.slice(outer.length);
  }

  #addComponent(target: Target, field: string): string {
    const section = sections[field] ?? "schemas";
    const names = getOrAdd(this.#names, section, () => new Set());
    const wanted = nameOf(target);
    let name = wanted;
    for (let number = 2; names.has(name); number++) name = `${wanted}${number}`;
    names.add(name);
    const out = `/components/${section}/${name}`;
    this.#place(target, out);
    this.#waiting.push({ section, name, source: { ...target, out, field: section, isMap: false } });
    return out;
  }

  // Returns what a reference leads to. Reports it, with `out`, if that is nothing.
  #find(reference: string, href: string, out?: string): Target | undefined {
    try {
      const target = findTarget(this.#files, reference, href);
      if (leadsToItself(this.#files, target)) throw new Error("leads to itself");
      return target;
    } catch (error) {
      const { message } = error as Error;
      if (out !== undefined && error instanceof OutsideFile)
        this.#report("reference:outside", `The reference ${reference} to ${error.file}`, message, out);
      else if (out !== undefined) this.#report("reference", `The reference ${reference}`, message, out);
      return undefined;
    }
  }
}

function below(source: Source, name: string, value: unknown, field: string): Source {
  const token = escapeToken(name);
  return {
    ...source,
    value,
    field,
    isMap: false,
    pointer: `${source.pointer}/${token}`,
    out: `${source.out}/${token}`,
  };
}

function keyOf({ href, pointer }: Target): string {
  return `${href}#${pointer}`;
}

// The last name of its pointer, or that of its file, in the characters that a component can have.
function nameOf({ href, pointer }: Target): string {
  const path = decodeURIComponent(new URL(href).pathname);
  const file = basename(path, extname(path));
  const last = unescapeToken(pointer.replace(/^.*\//, ""));
  return (/^\d*$/.test(last) ? `${file}${last}` : last).replace(/[^\w.-]+/g, "_");
}
