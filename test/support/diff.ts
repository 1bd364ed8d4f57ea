// Compares fragments of documents.
import { hash } from "node:crypto";
import type { Test } from "tap";
import { parse } from "yaml";
import { type Change, compareDocuments, type Rating } from "../../src/diff/index.ts";
import { parseDocument } from "../../src/openapi/index.ts";

/** The date of the comparison. */
const today = "2030-01-01";

// Returns the changes between two documents, which have these parts besides what each document must have.
async function changesOf(old: object, revised: object, version = "3.1.0"): Promise<Change[]> {
  const read = (parts: object) => {
    const document = { openapi: version, info: { title: "Books", version: "1" }, paths: {}, ...parts };
    const text = JSON.stringify(document);
    return parseDocument(text, { strict: false, validHash: hash("sha256", text) }); // without checks, which take 40 ms
  };
  return compareDocuments(await read(old), await read(revised), today);
}

/** What a fragment is a part of. */
export type Kind = "request" | "response" | "both" | "parameter" | "operation" | "document";

const books = (operation: object) => ({ paths: { "/books": { post: { operationId: "addBook", ...operation } } } });
const json = (schema: unknown) => ({ content: { "application/json": { schema } } });
const ok = (schema: unknown) => ({ responses: { 200: { description: "ok", ...json(schema) } } });

const documents: Readonly<Record<Kind, (fragment: object) => object>> = {
  request: (schema) => books({ requestBody: json(schema), responses: {} }),
  response: (schema) => books(ok(schema)),
  both: (schema) => books({ requestBody: json(schema), ...ok(schema) }),
  parameter: (fields) => books({ parameters: [{ name: "q", in: "query", ...fields }], responses: {} }),
  operation: (fields) => books({ responses: {}, ...fields }),
  document: (parts) => parts,
};

/** Schemas that fragments can refer to. */
const schemas = parse(`
Cat: { type: object, required: [name], properties: { name: { type: string } } }
Dog: { type: object, properties: { bark: { type: string }, size: { type: integer } } }
Tree: { type: object, properties: { label: { type: string }, children: { type: array, items: { $ref: "#/components/schemas/Tree" } } } }
`);

// Returns the changes between two fragments, in YAML.
function changesOfFragments(kind: Kind, old: string, revised: string, version?: string): Promise<Change[]> {
  const [before, after] = [old, revised].map((text) => {
    const parts = documents[kind](parse(text) ?? {});
    return { components: { schemas }, ...parts };
  });
  return changesOf(before as object, after as object, version);
}

/** What the changes of a fragment are at most. */
export type Expected = Rating | "none";

/** Checks the highest rating of the changes between two fragments. */
export async function checkRating(t: Test, kind: Kind, old: string, revised: string, rating: Expected): Promise<void> {
  const changes = await changesOfFragments(kind, old, revised);
  const found = changes.map(({ location, text }) => `${location}: ${text}`).join(" ");
  t.equal(changes[0]?.rating ?? "none", rating, `${kind}: ${old} -> ${revised}: ${found}`);
}
