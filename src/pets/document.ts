// Loads the document of the Pet Store.
import { readFileSync } from "node:fs";
import { documentHash } from "../generated/openapi.ts";
import { type Document, parseDocument } from "../spec/index.ts";

const file = new URL("../../openapi/petstore.yaml", import.meta.url);

/** Reads the document of the Pet Store, or the document in `text`. Rejects as `parseDocument` does. */
export function readDocument(text: string = readFileSync(file, "utf8")): Promise<Document> {
  return parseDocument(text, documentHash);
}
