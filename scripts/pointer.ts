// Places in the document, by JSON Pointer (RFC 6901) and through its references.

/** An object of the document. */
export type Json = { readonly [key: string]: unknown };

/** The steps of a pointer, from the root. */
export type Steps = readonly string[];

/** The steps of a pointer in a URI fragment, such as `#/paths/~1pets/get`. */
export function toSteps(pointer: string): Steps {
  const steps = pointer.slice("#/".length).split("/");
  return steps.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is at the place, through references; undefined where nothing is. */
export function find(document: Json, steps: Steps): Json | undefined {
  return steps.reduce<Json | undefined>((at, step) => resolve(document, at?.[step] as Json | undefined), document);
}

function resolve(document: Json, part: Json | undefined): Json | undefined {
  return typeof part?.$ref === "string" ? find(document, toSteps(part.$ref)) : part;
}
