// Loads the document of the Pet Store.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { documentHash, typesHash } from "../generated/document.ts";
import { type Document, hashTypes, OutdatedTypes, parseDocument } from "../openapi/index.ts";
import { readResources } from "../resources/index.ts";

const file = new URL("../../openapi/petstore.yaml", import.meta.url);

/**
 * Parses the document of the Pet Store, or an edited one (`text`). Rejects with an Error that says what to do if it is
 * invalid, if the code was generated from other types, or if the store does not have a filter.
 */
export async function readDocument(text?: string, generated: string = typesHash): Promise<Document> {
  const document = await parseOwnDocument(text);
  const isEdited = hash("sha256", document.text as string) !== documentHash;
  if (isEdited && hashTypes(document, false) !== generated) throw new OutdatedTypes("npm run generate");
  checkFilters(document);
  return document;
}

/** Parses the document like `readDocument`, for tools that generate the code that it does not have yet. */
export async function parseOwnDocument(text: string = readFileSync(file, "utf8")): Promise<Document> {
  const document = await parseDocument(text, {
    validHash: documentHash,
    strict: true,
    errors: { format: undefined },
  });
  if (!/^(\/[\w.~-]+)+$/.test(document.basePath))
    throw new Error("The URL of the document's first server must have a path such as /v1.");
  return document;
}

// A parameter that the store can't apply would select nothing.
function checkFilters(document: Document): void {
  for (const { name, plan } of readResources(document))
    for (const parameter of plan.unknownParameters)
      throw new Error(
        `The store can't filter ${name} by '${parameter}': a parameter of a list must have the name and the type of a property, or of the items of an array.`,
      );
}
