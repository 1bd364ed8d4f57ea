// JSON Pointers (RFC 6901) into the document. They follow references.

/** An object of the document. */
export type Json = { readonly [key: string]: unknown };

/** The reference tokens of a pointer, from the root. */
export type Tokens = readonly string[];

/** Parses a pointer in a URI fragment, such as `#/paths/~1pets/get`. */
export function parsePointer(pointer: string): Tokens {
  const tokens = pointer.slice("#/".length).split("/");
  return tokens.map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at the tokens, through references; undefined if there is none. */
export function find(document: Json, tokens: Tokens): Json | undefined {
  return tokens.reduce<Json | undefined>((at, token) => resolve(document, at?.[token] as Json | undefined), document);
}

function resolve(document: Json, part: Json | undefined): Json | undefined {
  return typeof part?.$ref === "string" ? find(document, parsePointer(part.$ref)) : part;
}
