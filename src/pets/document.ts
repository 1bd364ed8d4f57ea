// Loads the document of the Pet Store.
import { readFileSync } from "node:fs";
import { documentHash } from "../generated/openapi.ts";
import { type Document, parseDocument } from "../spec/index.ts";

const file = new URL("../../openapi/petstore.yaml", import.meta.url);

/** Parses the document of the Pet Store, or an edited one (`text`). Rejects with an Error if it is invalid. */
export function readDocument(text: string = readFileSync(file, "utf8")): Promise<Document> {
  return parseDocument(text, documentHash);
}
