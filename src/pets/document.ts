// Loads the document of the Pet Store.
import { readFileSync } from "node:fs";
import { documentHash, typeSummary } from "../generated/document.ts";
import { compareTypes, type Document, parseDocument, type TypeSummary } from "../openapi/application.ts";
import { newPetFieldTypes, petFieldTypes, petFilterTypes } from "../store/index.ts";

const file = new URL("../../openapi/petstore.yaml", import.meta.url);

/**
 * Parses the document of the Pet Store, or an edited one (`text`). Rejects with an Error that says what to do if it is
 * invalid, if the code was generated from other types, or if the store does not have a field or a filter.
 */
export async function readDocument(text?: string, generated: TypeSummary = typeSummary): Promise<Document> {
  const document = await parseOwnDocument(text);
  compareTypes(document, generated, "npm run generate");
  checkStore(generated);
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

// The compiler compares the store with the generated types, but the service also starts without the compiler.
function checkStore(types: TypeSummary): void {
  const pages = { limit: "integer", cursor: "string?" };
  const addColumn = "Add its column to src/store/rows.ts, and a migration for each store";
  for (const [prefix, stored, remedy] of [
    ["Pet.", petFieldTypes, addColumn],
    ["NewPet.", newPetFieldTypes, addColumn],
    ["listPets query ", { ...petFilterTypes, ...pages }, "Add it to petFilterTypes in src/store/rows.ts"],
  ] as [string, Readonly<Record<string, string>>, string][])
    for (const [name, type] of readTypes(types, prefix)) {
      // A request can require what the store does not.
      if (stored[name] === type || (prefix !== "Pet." && stored[name] === `${type}?`)) continue;
      throw new Error(`The store does not implement '${prefix}${name}' of the type ${type}. ${remedy}.`);
    }
}

// Returns the types of the fields or parameters behind a prefix, with the suffix `?` if they can be missing.
function readTypes(types: TypeSummary, prefix: string): [name: string, type: string][] {
  const direct = Object.entries(types).filter(
    ([place]) => place.startsWith(prefix) && !/[ .]/.test(place.slice(prefix.length)),
  );
  return direct.map(([place, type]) => {
    let resolved = type;
    while (Object.hasOwn(types, resolved) && types[resolved] !== resolved) resolved = types[resolved] as string;
    return [place.slice(prefix.length).replace("?", ""), `${resolved}${place.endsWith("?") ? "?" : ""}`];
  });
}
