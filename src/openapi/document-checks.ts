// Rejects parts of a document that the server would ignore, although they promise a behavior. Finds the schemas.
import type { OpenApi } from "./document-types.ts";
import { escapeToken } from "./part.ts";
import type { Schemas } from "./schema.ts";
import type { Schema } from "./schema-keywords.ts";

type Json = Readonly<Record<string, unknown>>;

// The extensions that the server reads, with a field that is always beside them.
const extensions: Readonly<Record<string, { readonly beside: string; readonly owner: string }>> = {
  "x-deprecated-since": { beside: "operationId", owner: "an operation" },
  "x-extensible-enum": { beside: "type", owner: "a schema with a type" },
  "x-max-bytes": { beside: "content", owner: "a requestBody" },
  "x-released": { beside: "version", owner: "info" },
  "x-stability": { beside: "operationId", owner: "an operation" },
  "x-successor": { beside: "operationId", owner: "an operation" },
  "x-sunset": { beside: "operationId", owner: "an operation" },
};

const dialects = ["https://spec.openapis.org/oas/3.1/dialect/base", "https://json-schema.org/draft/2020-12/schema"];

// Keywords whose values are data, and not parts of the document.
const data = /^(const|default|enum|examples?|value)$/;

// Fields whose values are maps with any names.
const maps =
  /^(callbacks|content|encoding|examples|headers|links|parameters|pathItems|requestBodies|responses|schemas|scopes|securitySchemes|variables)$/;

/**
 * Walks the document once. Throws an Error that names the place if the document has a part that the server would ignore.
 * Adds each schema to `schemas`, which checks it.
 */
export function checkDocument(document: OpenApi, schemas: Schemas): void {
  const { webhooks, jsonSchemaDialect: dialect } = document as OpenApi & Json;
  if (webhooks !== undefined) throw new Error("The document has webhooks, which are never called: remove them.");
  if (dialect !== undefined && !dialects.includes(dialect as string))
    throw new Error(`The document has the jsonSchemaDialect ${dialect}, which is not supported: use ${dialects[1]}.`);
  checkPart(document, { owner: "The document", pointer: "", isMap: false }, schemas);
  schemas.addTargets();
}

interface Place {
  /** The operation, or else the document: the subject of an error. */
  readonly owner: string;
  readonly pointer: string;
  /** Whether the fields are names that the author chooses. */
  readonly isMap: boolean;
}

function checkPart(part: unknown, { owner: subject, pointer, isMap }: Place, schemas: Schemas): void {
  if (typeof part !== "object" || part === null) return;
  const fields = part as Json;
  const owner = typeof fields.operationId === "string" ? `The operation ${fields.operationId}` : subject;
  const reject = (reason: string, place = pointer): never => {
    throw new Error(`${owner} has ${reason} (at ${place || "/"}).`);
  };
  checkReference(fields, reject);
  const isSchemas = isMap && pointer === "/components/schemas";
  for (const [name, value] of Object.entries(fields)) {
    const place = `${pointer}/${escapeToken(name)}`;
    if (isSchemas || (!isMap && name === "schema")) {
      schemas.add(value as Schema, place, (extension, schema, at) =>
        checkExtension(extension, schema, (reason) => reject(reason, at)),
      );
      continue;
    }
    if (!isMap && name.startsWith("x-")) {
      checkExtension(name, fields, reject);
      continue;
    }
    if (!isMap && name === "callbacks" && "operationId" in fields)
      reject("callbacks, which are never called: remove them");
    // For example, `default` is also a response, and a header can have the name `examples`.
    if (isMap || !data.test(name))
      checkPart(value, { owner, pointer: place, isMap: !isMap && maps.test(name) }, schemas);
  }
}

// A Reference Object can have only a summary and a description beside $ref.
function checkReference(fields: Json, reject: (reason: string) => never): void {
  if (typeof fields.$ref !== "string") return;
  const lost = Object.keys(fields).find((name) => !/^(\$ref|summary|description|x-.*)$/.test(name));
  if (lost) reject(`${lost} beside $ref, which would be ignored: remove it`);
}

function checkExtension(name: string, fields: Json, reject: (reason: string) => never): void {
  const known = extensions[name];
  if (known !== undefined && !(known.beside in fields))
    reject(`${name} in a place where it has no effect: move it to ${known.owner}`);
  const similar = known ? undefined : Object.keys(extensions).find((other) => isSimilar(name, other));
  if (similar) reject(`${name}, which has no effect: did you mean ${similar}?`);
}

/** Returns whether two names differ by at most two edits (Levenshtein distance). */
function isSimilar(one: string, other: string): boolean {
  let distances = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const [replaced, removed, added] = [distances[column], distances[column + 1], next[column]] as [
        number,
        number,
        number,
      ];
      next.push(letter === otherLetter ? replaced : 1 + Math.min(replaced, removed, added));
    }
    distances = next;
  }
  return (distances.at(-1) as number) <= 2;
}
