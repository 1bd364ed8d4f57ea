// Collections of an application that no path of its document shows: those of a document of their own.
import type { Document } from "../openapi/index.ts";
import { parseDocument } from "../openapi/index.ts";
import { collectionsOf } from "./recognition/collections/find-collections.ts";

/** A collection of an application: the schema of its records, which can refer to those of the document, and its `x-resource`. */
export interface OwnCollection {
  readonly schema: object;
  /** As that of the path of a record: `unique`, `references`, `index`. */
  readonly "x-resource"?: object | undefined;
}

/**
 * Returns a document with a path for each collection of an application; undefined without them. The ids are UUIDs, unless the schema has a
 * property `id`. Rejects with an Error for a name that is not valid, or that a collection of the document has.
 */
export async function documentOf(
  collections: Readonly<Record<string, OwnCollection>>,
  document: Document,
): Promise<Document | undefined> {
  const all = Object.entries(collections);
  if (all.length === 0) return undefined;
  const taken = collectionsOf(document).map(({ name }) => name);
  for (const [name] of all)
    if (taken.includes(name))
      throw new Error(`The document has a collection ${name}. Give that of the application another name.`);
  const paths = all.flatMap(([name, { schema, "x-resource": hint = {} }]) => {
    const record = { $ref: `#/components/schemas/${name}.record` };
    const content = { "application/json": { schema: record } };
    const ok = { description: "The record.", content };
    const id = Object(schema).properties?.id ?? { type: "string" };
    const list = {
      description: "The records.",
      content: { "application/json": { schema: { type: "array", items: record } } },
    };
    return [
      [`/${name}`, { get: { responses: { 200: list } }, post: { requestBody: { content }, responses: { 201: ok } } }],
      [
        `/${name}/{id}`,
        {
          "x-resource": { name, id: "id", ...hint },
          parameters: [{ name: "id", in: "path", required: true, schema: id }],
          get: { responses: { 200: ok } },
        },
      ],
    ] as const;
  });
  const uuid = { type: "string", format: "uuid", readOnly: true };
  const schemas = all.map(([name, { schema }]) => {
    const hasId = Object(schema).properties?.id !== undefined;
    return [`${name}.record`, hasId ? schema : { allOf: [schema, { properties: { id: uuid } }] }] as const;
  });
  const known = document.root.at("components")?.at("schemas")?.value;
  return parseDocument(
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Collections of the application", version: "1" },
      paths: Object.fromEntries(paths),
      components: { schemas: { ...Object(known), ...Object.fromEntries(schemas) } },
    }),
  );
}
