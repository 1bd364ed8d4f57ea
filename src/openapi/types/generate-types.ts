// Generates the types of handlers from a document: those of openapi-typescript, with bigint for int64.
import type { SchemaObject as SchemaOfTypes } from "openapi-typescript";
import { isInt64, type Schemas } from "../schema/index.ts";
import {
  Part as DocumentPart,
  escapeToken,
  type OpenApi,
  type Part,
  type PathItem,
  type SchemaObject,
  toNumbers,
} from "../source/index.ts";

export interface GenerateOptions {
  /** The type of a schema with `x-extensible-enum`: its values, or any string. */
  readonly extensibleEnums: "union" | "string";
  /** Whether a parameter with a default always has a value, as in a handler. In a client, it can be missing. */
  readonly fillsDefaults: boolean;
  /** The schemas of the document, which resolve references by $id and $anchor. */
  readonly schemas?: Schemas;
}

/** The options for the types of handlers. */
export const handlerTypes = { extensibleEnums: "union", fillsDefaults: true } as const;

/**
 * Returns the source text of the types of a document, for `Handlers<operations>`. Needs the package openapi-typescript, and
 * rejects with an Error if it is not installed.
 */
export async function generateTypes(content: OpenApi, options: GenerateOptions = handlerTypes): Promise<string> {
  const { astToString, openapiTS, ts } = await loadGenerator();
  const keywords = {
    integer: ts.SyntaxKind.BigIntKeyword,
    number: ts.SyntaxKind.NumberKeyword,
    string: ts.SyntaxKind.StringKeyword,
    boolean: ts.SyntaxKind.BooleanKeyword,
    object: ts.SyntaxKind.ObjectKeyword,
  } as const;
  const toInt64Type = ({ type, nullable }: SchemaObject) =>
    ts.factory.createUnionTypeNode(
      [type, nullable === true ? "null" : []]
        .flat(2)
        .map((name) =>
          name === "null"
            ? ts.factory.createLiteralTypeNode(ts.factory.createNull())
            : ts.factory.createKeywordTypeNode(keywords[name as keyof typeof keywords] ?? ts.SyntaxKind.UnknownKeyword),
        ),
    );
  const toUnion = (values: readonly string[]) =>
    ts.factory.createUnionTypeNode(
      values.map((value) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(value))),
    );
  const copy = toNumbers(content) as OpenApi;
  if (options.fillsDefaults) requireDefaults(copy);
  if (options.schemas) replaceReferences(copy, options.schemas);
  moveOperations(copy.paths);
  const nodes = await openapiTS(copy as never, {
    transform: (schema: SchemaOfTypes, { path = "" }) => {
      if (isInt64(schema as SchemaObject)) return toInt64Type(schema as SchemaObject);
      if (isFile(schema as SchemaObject, path)) return ts.factory.createTypeReferenceNode("File");
      const values = (schema as SchemaObject)["x-extensible-enum"];
      return options.extensibleEnums === "union" && Array.isArray(values) ? toUnion(values) : undefined;
    },
  });
  return astToString(nodes);
}

async function loadGenerator() {
  const [{ astToString, default: openapiTS }, { default: ts }] = await Promise.all([
    import("openapi-typescript"),
    import("typescript"),
  ]).catch(() => {
    throw new Error("Generating types needs two packages. Run npm install --save-dev openapi-typescript typescript@5.");
  });
  return { astToString, openapiTS, ts };
}

// Only in a form: JSON has no bytes.
function isFile({ type, format, contentMediaType, contentEncoding }: SchemaObject, path: string): boolean {
  const isBinary = contentMediaType !== undefined && contentEncoding === undefined && path.includes("multipart");
  return type === "string" && (format === "binary" || isBinary);
}

// openapi-typescript knows no operations of other methods (3.2). The path does not matter for the type of an operation.
function moveOperations(paths: Record<string, PathItem> = {}): void {
  for (const [path, item] of Object.entries(paths)) {
    const { query, additionalOperations = {}, parameters = [] } = item;
    for (const [method, operation] of Object.entries({ ...(query && { query }), ...additionalOperations }))
      paths[`${path} ${method}`] = { post: operation, parameters };
  }
}

// openapi-typescript knows no $id, and would load it over the network. References by $id or $anchor become those by place.
function replaceReferences(part: unknown, schemas: Schemas, pointer = ""): void {
  if (typeof part !== "object" || part === null) return;
  const schema = part as Record<string, unknown>;
  const { $ref, $dynamicRef } = schema;
  const reference = $ref ?? $dynamicRef;
  if (typeof reference === "string") {
    const target = schemas.find(reference, pointer);
    if (target === undefined) delete schema.$ref;
    else schema.$ref = `#${encodeURI(target)}`;
  }
  for (const [name, member] of Object.entries(schema))
    replaceReferences(member, schemas, `${pointer}/${escapeToken(name)}`);
  for (const name of ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef"])
    if (typeof schema[name] === "string") delete schema[name];
}

interface Parameter {
  required?: boolean;
  readonly schema?: SchemaObject;
}

// A parameter with a default always has a value.
function requireDefaults(content: OpenApi): void {
  const document = DocumentPart.of(content);
  for (const [, item] of document.membersOf("paths"))
    for (const part of [item, ...item.members().map(([, member]) => member)])
      for (const [, parameter] of (part as Part<{ parameters?: Parameter[] }>).membersOf("parameters"))
        if (parameter.at("schema")?.value.default !== undefined) parameter.value.required = true;
}
