// The keywords of schemas: rejects those that would not be enforced, and prepares the others for Ajv.
import { isInt64, replaceNumericType } from "./number-keywords.ts";
import { escapeToken, referenceOf } from "./part.ts";

/** A JSON Schema (2020-12) of the document. */
export type Schema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

// The keywords whose values are schemas, lists of schemas, and maps of schemas.
const one = new Set([
  ...["not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"],
]);
const many = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const named = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

// They describe a value for people and tools. `title` is part of messages.
const annotations =
  /^(description|examples?|externalDocs|xml|discriminator|deprecated|readOnly|writeOnly|\$comment|x-.*)$/;

/**
 * Calls `visit` with each schema that is a direct part of a schema, with its keyword, with its JSON pointer relative to
 * the schema, and with its name or index.
 */
export function forEachSubschema(
  schema: SchemaObject,
  visit: (subschema: Schema, keyword: string, place: string, key?: string) => void,
): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (one.has(keyword)) visit(value as Schema, keyword, keyword);
    else if (many.has(keyword) || named.has(keyword))
      for (const [key, subschema] of Object.entries(value as object))
        visit(subschema, keyword, `${keyword}/${escapeToken(key)}`, key);
  }
}

/** Throws an Error that names a schema by its place. The reason completes "The schema at /components/… …". */
export type RejectSchema = (pointer: string, reason: string) => never;

/** What `prepareSchema` needs to know. */
export interface KeywordOptions {
  /** Returns whether Ajv enforces the keyword. */
  isKeyword(name: string): boolean;
  /** Returns whether Ajv enforces the format. */
  isFormat(name: string): boolean;
  /** Returns the schema that a reference leads to. */
  resolve(pointer: string): Schema;
  readonly reject: RejectSchema;
  /** Called for each specification extension. */
  readonly onExtension?: ((name: string, schema: SchemaObject, pointer: string) => void) | undefined;
  /** Called for each reference, with the pointer that it leads to. */
  readonly onReference?: ((pointer: string) => void) | undefined;
}

/**
 * Returns a copy of the schema at `pointer` for Ajv: without annotations, and with exact numbers. References are kept.
 * Rejects an unknown keyword or format, and a pattern that is not a regular expression.
 */
export function prepareSchema(schema: Schema, pointer: string, options: KeywordOptions): Schema {
  if (typeof schema === "boolean") return schema;
  const reject = (reason: string) => options.reject(pointer, reason);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return reject("is not a schema");
  const prepare = (subschema: Schema, place: string) => prepareSchema(subschema, `${pointer}/${place}`, options);
  const prepared: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword.startsWith("x-")) options.onExtension?.(keyword, schema, pointer);
    if (annotations.test(keyword)) continue;
    if (!options.isKeyword(keyword)) reject(`has the unknown keyword "${keyword}"`);
    if (one.has(keyword)) prepared[keyword] = prepare(value as Schema, keyword);
    else if (many.has(keyword))
      prepared[keyword] = (value as Schema[]).map((part, index) => prepare(part, `${keyword}/${index}`));
    else if (named.has(keyword))
      prepared[keyword] = mapValues(value as Record<string, Schema>, (part, name) =>
        prepare(part, `${keyword}/${escapeToken(name)}`),
      );
    else prepared[keyword] = value;
  }
  const reference = referenceOf(schema);
  if (reference !== undefined) options.onReference?.(reference);
  checkValues(schema, options, reject);
  return addDefaults(replaceNumericType(prepared), options);
}

function checkValues(
  { pattern, patternProperties, format, type }: SchemaObject,
  { isFormat }: KeywordOptions,
  reject: (reason: string) => never,
): void {
  for (const text of [pattern, ...Object.keys(patternProperties ?? {})]) {
    if (text === undefined) continue;
    try {
      new RegExp(text as string, "u");
    } catch (error) {
      reject(`has a pattern that is not valid: ${(error as Error).message}`);
    }
  }
  if (format !== undefined && !isInt64({ type, format }) && !isFormat(format as string))
    reject(`has the unknown format "${format}"`);
}

// Ajv fills in only defaults that are written beside a property, and not those of the schema that it refers to.
function addDefaults(schema: SchemaObject, { resolve }: KeywordOptions): SchemaObject {
  if (schema.properties === undefined) return schema;
  const properties = mapValues(schema.properties as Record<string, Schema>, (property) => {
    const reference = referenceOf(property);
    const isWritten = typeof property === "object" && property.default !== undefined;
    const target = reference === undefined || isWritten ? undefined : resolve(reference);
    return typeof target !== "object" || target.default === undefined
      ? property
      : { ...(property as SchemaObject), default: target.default };
  });
  return { ...schema, properties };
}

function mapValues<V, W>(record: Record<string, V>, map: (value: V, name: string) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
