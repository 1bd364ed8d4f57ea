// A part of the document and its place in it. References are followed, and never copied, so that they can be recursive.
import { findSimilarName } from "../../lib/index.ts";

type Member<T> = NonNullable<T extends readonly (infer Item)[] ? Item : T[keyof T]>;

/** A part of a document. */
export class Part<T = unknown> {
  readonly value: T;
  /** The JSON pointer (RFC 6901) of the part, such as `/components/schemas/Book`. Empty for the document itself. */
  readonly pointer: string;
  readonly #root: unknown;

  private constructor(root: unknown, value: T, pointer: string) {
    this.#root = root;
    this.value = value;
    this.pointer = pointer;
  }

  /** Returns a document as a part. */
  static of<T>(document: T): Part<T> {
    return new Part(document, document, "");
  }

  /**
   * Returns a member of this part, or the part that it refers to; undefined if there is none. References to nothing are reported when
   * the document is checked.
   */
  at<Key extends keyof T & string>(key: Key): Part<NonNullable<T[Key]>> | undefined {
    const value = this.#read(key);
    if (value === undefined || value === null) return undefined;
    try {
      return this.#follow(value, `${this.pointer}/${escapeToken(key)}`);
    } catch {
      return undefined;
    }
  }

  /** Returns a member of this part as it is written, also if it is a reference. Schemas can have keywords beside $ref. */
  written<Key extends keyof T & string>(key: Key): Part<NonNullable<T[Key]>> | undefined {
    const value = this.#read(key);
    const pointer = `${this.pointer}/${escapeToken(key)}`;
    return value === undefined || value === null ? undefined : new Part(this.#root, value, pointer);
  }

  // Not a member of Object.prototype: the document chooses names. A document can have anything in any place.
  #read<Key extends keyof T & string>(key: Key): T[Key] | undefined {
    const { value } = this;
    return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;
  }

  /** Returns the members of this part by name, or the items of an array by index. */
  members(): [string, Part<Member<T>>][] {
    const { value } = this;
    const keys = typeof value === "object" && value !== null ? (Object.keys(value) as (keyof T & string)[]) : [];
    return keys.flatMap((key) => {
      const part = this.at(key) as Part<Member<T>> | undefined;
      return part === undefined ? [] : [[key, part]];
    });
  }

  /** Returns the members of a member, which has none if it is missing. */
  membersOf<Key extends keyof T & string>(key: Key): [string, Part<Member<NonNullable<T[Key]>>>][] {
    return this.at(key)?.members() ?? [];
  }

  /**
   * Returns the part of the document with this pointer, which can lead through references. Throws an Error that completes "The
   * reference …" if there is none.
   */
  find(pointer: string, passed = { count: 0 }): Part {
    let part = new Part(this.#root, this.#root, "");
    for (const token of pointer.split("/").slice(1)) {
      const key = unescapeToken(token);
      while (isReferenceWithout(part.value, key)) {
        countReference(passed);
        part = this.find(referenceOf(part.value) as string, passed);
      }
      part = new Part(this.#root, memberOf(part.value, key), `${part.pointer}/${token}`);
    }
    return part;
  }

  /** Returns the part that this part refers to, or this part itself. Throws an Error that completes "The reference …". */
  resolve(): Part<T> {
    return this.#follow(this.value, this.pointer);
  }

  #follow<V>(value: V, pointer: string, seen = new Set<string>()): Part<V> {
    const reference = referenceOf(value);
    if (reference === undefined) return new Part(this.#root, value, pointer);
    if (seen.has(reference)) throw new Error("leads to itself");
    const target = this.find(reference);
    return this.#follow(target.value as V, target.pointer, seen.add(reference));
  }
}

/** Returns the pointer of a Reference Object; undefined for another value. Throws an Error that completes "The reference …". */
export function referenceOf(value: unknown): string | undefined {
  const reference = (value as { $ref?: unknown } | null)?.$ref;
  if (typeof reference !== "string") return undefined;
  if (!/^#(\/|$)/.test(reference)) throw new Error("is not supported: it must be a path of a file, or begin with #/");
  return decodeFragment(reference.slice(1));
}

const maxReferences = 1_000; // that one reference leads through

/** Counts the references that one leads through. Throws an Error that completes "The reference …" if it leads to itself. */
export function countReference(passed: { count: number }): void {
  if (++passed.count > maxReferences) throw new Error("leads to itself");
}

/** Returns whether a pointer to a member of a value leads through a reference: the value is one, and has no such member. */
export function isReferenceWithout(value: unknown, key: string): value is { readonly $ref: string } {
  const isReference = typeof (value as { $ref?: unknown } | null)?.$ref === "string";
  return isReference && !Object.hasOwn(value as object, key);
}

/** Returns a member of a value. Throws an Error that completes "The reference …" if it has none with this name. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value === "object" && value !== null && Object.hasOwn(value, name)) return Reflect.get(value, name);
  const names = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const similar = findSimilarName(name, names);
  throw new Error(
    `leads to nothing: there is no "${name}"${similar === undefined ? "" : `, did you mean "${similar}"?`}`,
  );
}

/** Decodes the fragment of a URI. Throws an Error that completes "The reference …" if it is malformed. */
export function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new Error("is not a URI");
  }
}

/** Returns the pointers of a part and of all parts around it, the innermost first. */
export function listAround(pointer: string): string[] {
  const tokens = pointer.split("/");
  return tokens.map((_, index) => tokens.slice(0, tokens.length - index).join("/"));
}

/** Escapes a token of a JSON pointer (RFC 6901, section 3). */
export function escapeToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token;
}

/** Returns the token of a JSON pointer without escapes. */
export function unescapeToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}
