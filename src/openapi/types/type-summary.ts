// A compact description of the types of a document: parameters, fields, bodies and statuses, without limits and texts. It
// is generated beside the types that TypeScript compiles against, so that a start can tell whether they are current.

import type { Document } from "../document/document.ts";
import type { Schema, SchemaObject } from "../source/document-types.ts";
import { type Part, referenceOf } from "../source/part.ts";

/**
 * The types by place: `listBooks query genre?` is `Genre`, and `Book.id` is `int64`. The suffix `?` marks a value that
 * can be missing.
 */
export type TypeSummary = Readonly<Record<string, string>>;

/** Describes the types of a document. */
export function summarizeTypes({ root, operations, schemas: valueSchemas }: Document): TypeSummary {
  const types: Record<string, string> = {};
  const schemas = new SchemaTypes(root, types);
  for (const { id, part: operation, parameterParts } of operations) {
    for (const parameter of parameterParts) {
      const { value } = parameter;
      const isGiven = value.required || valueSchemas.hasDefaultAt(parameter.written("schema")?.pointer);
      const mark = isGiven ? "" : "?";
      schemas.describe(`${id} ${value.in} ${value.name}${mark}`, value.schema);
    }
    const body = operation.at("requestBody");
    if (body)
      for (const [type, { value }] of body.membersOf("content"))
        schemas.describe(`${id} body ${type}${body.value.required ? "" : "?"}`, value.schema);
    for (const [status, response] of operation.membersOf("responses")) {
      types[`${id} ${status}`] = `headers ${Object.keys(response.value.headers ?? {}).join(", ")}`;
      for (const [type, { value }] of response.membersOf("content"))
        schemas.describe(`${id} ${status} ${type}`, value.schema);
    }
  }
  return Object.fromEntries(Object.entries(types).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Adds the types of schemas to a summary. A schema that is referred to is described once, by its name. */
class SchemaTypes {
  readonly #root: Part;
  readonly #types: Record<string, string>;
  readonly #described = new Set<string>();

  constructor(root: Part, types: Record<string, string>) {
    this.#root = root;
    this.#types = types;
  }

  describe(place: string, schema: Schema | undefined): void {
    const reference = referenceOf(schema);
    if (reference === undefined) {
      this.#describeInline(place, schema);
      return;
    }
    const name = reference.replace("/components/schemas/", "");
    this.#types[place] = name;
    if (this.#described.has(name)) return;
    this.#described.add(name);
    this.describe(name, this.#root.find(reference).value as Schema);
  }

  #describeInline(place: string, schema: Schema | undefined): void {
    this.#types[place] = toTypeName(schema);
    if (typeof schema !== "object") return;
    // All parts of allOf apply to the same value.
    const parts = [schema, ...this.#partsOf(schema)];
    const required = new Set(parts.flatMap((part) => (part.required as string[] | undefined) ?? []));
    for (const part of parts) {
      for (const [name, property] of Object.entries((part.properties as Record<string, Schema> | undefined) ?? {}))
        this.describe(`${place}.${name}${required.has(name) ? "" : "?"}`, property);
      for (const keyword of ["items", "additionalProperties"] as const)
        if (part[keyword] !== undefined) this.describe(`${place} ${keyword}`, part[keyword] as Schema);
      for (const keyword of ["anyOf", "oneOf", "prefixItems"] as const)
        for (const [index, alternative] of ((part[keyword] as Schema[] | undefined) ?? []).entries())
          this.describe(`${place} ${keyword}/${index}`, alternative);
    }
  }

  // Returns the schemas below allOf, at any depth, each once: they can be recursive.
  #partsOf(schema: SchemaObject, found = new Set<SchemaObject>()): Set<SchemaObject> {
    for (const part of (schema.allOf as Schema[] | undefined) ?? []) {
      const reference = referenceOf(part);
      const resolved = (reference === undefined ? part : this.#root.find(reference).value) as SchemaObject;
      if (found.has(resolved)) continue;
      found.add(resolved);
      this.#partsOf(resolved, found);
    }
    return found;
  }
}

function toTypeName(schema: Schema | undefined): string {
  if (typeof schema !== "object") return schema === false ? "never" : "any";
  const { type, format } = schema;
  if (type === "integer" && format === "int64") return "int64";
  return type === undefined ? "any" : [type].flat().join(" | ");
}

/**
 * Compares the types of a document with those from which code was generated. Throws an Error that names the first
 * difference and the command to run.
 */
export function compareTypes(document: Document, generated: TypeSummary, command: string): void {
  const types = summarizeTypes(document);
  for (const place of new Set([...Object.keys(types), ...Object.keys(generated)])) {
    if (types[place] === generated[place]) continue;
    const describe = (type: string | undefined) => (type === undefined ? "nothing" : `'${place}' of the type ${type}`);
    throw new Error(
      `The document has ${describe(types[place])} where the generated types have ${describe(generated[place])}. Run ${command}.`,
    );
  }
}
