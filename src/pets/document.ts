// Loads the document of the Pet Store.
import { readFileSync } from "node:fs";
import { documentHash } from "../generated/openapi.ts";
import { checkSignatures, type Document, parseDocument } from "../spec/index.ts";
import { signatures } from "./signatures.ts";

const file = new URL("../../openapi/petstore.yaml", import.meta.url);

/**
 * Parses the document of the Pet Store, or an edited one (`text`). Rejects with an Error if it is invalid, or if it has
 * parameters or fields that the handlers and the store do not implement.
 */
export async function readDocument(text?: string): Promise<Document> {
  const document = await parseOwnDocument(text);
  checkSignatures(document.operations, signatures);
  return document;
}

/** Parses the document like `readDocument`, for tools that generate the code that it does not have yet. */
export function parseOwnDocument(text: string = readFileSync(file, "utf8")): Promise<Document> {
  return parseDocument(text, documentHash);
}
