// The modules that `openapi-server generate` writes, and whether they are those of a document.
import { hash } from "node:crypto";
import { canonicalJson } from "../../lib/index.ts";
import type { Document } from "../document/document.ts";
import { generateTypes, handlerTypes } from "./generate-types.ts";
import { listIntegers } from "./integer-map.ts";
import { toTypeDocument } from "./type-document.ts";

/** What a generated file exports as `types`. */
export interface DocumentTypes<Operations> {
  /** Of the types of the document, without its texts. */
  readonly hash: string;
  /** Only for the compiler. */
  readonly operations?: Operations;
}

/** Returns the hash of the types of handlers: equal for documents that differ only in texts, examples, limits and order. */
export function hashTypes(document: Document): string {
  const types = toTypeDocument(document, { ...handlerTypes, hasNotes: false });
  return hash("sha256", canonicalJson(types), "hex").slice(0, 32);
}

/** Throws an Error if the types of a document have changed since these were generated. */
export function checkTypes(document: Document, types: DocumentTypes<unknown>): void {
  if (types.hash === hashTypes(document)) return;
  throw new Error(
    "The types of the document have changed since the types of the handlers were generated. Run openapi-server generate again.",
  );
}

/** Returns the source text of a module with the types of a document, and the value `types` for the option of `createServer`. */
export async function generateModule(document: Document): Promise<string> {
  return `${await generateTypes(document)}
/** The types of the operations, for the option \`types\` of createServer, which compares the hash with its document. */
export const types: { readonly hash: string; readonly operations?: operations } = { hash: "${hashTypes(document)}" };
`;
}

/**
 * Returns the source text of a module with the types of a client, for openapi-fetch, and the value `integers` for
 * `createExactFetch`. Values with a default are optional, and an extensible enum is any string.
 */
export async function generateClientModule(document: Document): Promise<string> {
  return `${await generateTypes(document, { extensibleEnums: "string", fillsDefaults: false })}
/** Where responses have integers that are bigints, for createExactFetch. */
export const integers = ${JSON.stringify(listIntegers(document), null, 2)};
`;
}
