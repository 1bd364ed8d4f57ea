// Reads the types and fields that a schema describes, so that they can be compared with those of the code.
import type { SchemaObject } from "./openapi.ts";

/** A field of an object, or a parameter. */
export interface Field {
  /** The name of its type, such as `string` or `int64`. Several types are joined: `string or null`. */
  readonly type: string;
  readonly required: boolean;
  readonly hasDefault: boolean;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
}

/** Returns the name of the type of a schema. Only an integer of the format int64 has the type `int64`. */
export function readType(schema: unknown): string {
  const types = readParts(schema, applicators).flatMap(({ type, format }) =>
    type === "integer" && format === "int64" ? "int64" : (type ?? []),
  );
  return [...new Set(types)].join(" or ") || "any";
}

/** Returns a parameter, or a property of a schema, as a field. */
export function readField(schema: unknown, required: boolean): Field {
  const parts = readParts(schema, applicators);
  return {
    type: readType(schema),
    required,
    hasDefault: parts.some((part) => part.default !== undefined),
    readOnly: parts.some((part) => part.readOnly === true),
    writeOnly: parts.some((part) => part.writeOnly === true),
  };
}

/** Returns the fields of an object by name, also those that only some objects have. */
export function readFields(schema: unknown): ReadonlyMap<string, Field> {
  const required = new Set(readParts(schema, ["allOf"]).flatMap((part) => part.required ?? []));
  const properties = readParts(schema, applicators).flatMap((part) => Object.entries(part.properties ?? {}));
  const byName = Map.groupBy(properties, ([name]) => name);
  return new Map(
    [...byName].map(([name, found]) => {
      return [name, readField({ allOf: found.map(([, property]) => property) }, required.has(name))];
    }),
  );
}

/** Returns the schema of the items of an array. */
export function readItems(schema: unknown): unknown {
  return readParts(schema, applicators).find(({ items }) => items !== undefined)?.items;
}

/** Returns whether an object can have fields that the schema does not name. */
export function isOpen(schema: unknown): boolean {
  const [all, always] = [readParts(schema, applicators), readParts(schema, ["allOf"])];
  if (all.some(({ patternProperties }) => patternProperties !== undefined)) return true;
  if (always.some(({ additionalProperties }) => additionalProperties === false)) return false;
  // Fields that `additionalProperties` accepts are evaluated.
  if (all.some(({ additionalProperties = false }) => additionalProperties !== false)) return true;
  return !always.some(({ unevaluatedProperties }) => unevaluatedProperties === false);
}

// The keywords whose schemas apply to the same value as the schema that contains them.
const applicators = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"] as const;

/** Returns the schema and those that apply to the same value by the keywords. */
function readParts(schema: unknown, keywords: readonly (typeof applicators)[number][]): SchemaObject[] {
  if (typeof schema !== "object" || schema === null) return [];
  const parts = keywords.flatMap((keyword) => {
    const value = (schema as SchemaObject)[keyword];
    return keyword === "dependentSchemas" || Array.isArray(value) ? Object.values(value ?? {}) : [value];
  });
  return [schema, ...parts.flatMap((part) => readParts(part, keywords))];
}
