// The keywords of JSON Schema 2020-12: the form of their values, and which of them contain schemas.
import { escapeToken } from "./part.ts";
import { toRegExp } from "./regular-expressions.ts";

/** A schema of the document. */
export type Schema = boolean | SchemaObject;
export type SchemaObject = Readonly<Record<string, unknown>>;

/** The forms that the value of a keyword can have. */
interface Form {
  matches(value: unknown): boolean;
  /** Completes the message "must be …". */
  readonly words: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
const types = ["array", "boolean", "integer", "null", "number", "object", "string"];

const forms = {
  any: { matches: () => true, words: "" },
  boolean: { matches: (value) => typeof value === "boolean", words: "true or false" },
  count: { matches: (value) => Number.isInteger(value) && Number(value) >= 0, words: "an integer of at least 0" },
  list: { matches: Array.isArray, words: "an array" },
  number: { matches: (value) => Number.isFinite(value) || typeof value === "bigint", words: "a number" },
  pattern: { matches: (value) => typeof value === "string" && isPattern(value), words: "a regular expression" },
  positive: { matches: (value) => Number.isFinite(value) && Number(value) > 0, words: "a number greater than 0" },
  text: { matches: (value) => typeof value === "string", words: "a string" },
  texts: { matches: isTexts, words: "an array of strings" },
  textsByName: {
    matches: (value) => isObject(value) && Object.values(value).every(isTexts),
    words: "an object of arrays of strings",
  },
  type: {
    matches: (value) => {
      const names = [value].flat();
      return names.length > 0 && names.every((name) => types.includes(name as string));
    },
    words: `one or more of ${types.join(", ")}`,
  },
  schema: { matches: isSchema, words: "a schema" },
  schemas: {
    matches: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
    words: "an array of at least one schema",
  },
  schemasByName: {
    matches: (value) => isObject(value) && Object.values(value).every(isSchema),
    words: "an object whose values are schemas",
  },
  schemasByPattern: {
    matches: (value) =>
      isObject(value) && Object.values(value).every(isSchema) && Object.keys(value).every((name) => isPattern(name)),
    words: "an object whose names are regular expressions and whose values are schemas",
  },
} as const satisfies Readonly<Record<string, Form>>;

const keywordsByForm: Readonly<Record<keyof typeof forms, readonly string[]>> = {
  any: ["const", "default"],
  boolean: ["uniqueItems", "readOnly", "writeOnly"],
  count: [
    ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
    ...["minContains", "maxContains"],
  ],
  list: ["enum"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  pattern: ["pattern"],
  positive: ["multipleOf"],
  text: ["$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$schema", "format"],
  texts: ["required"],
  textsByName: ["dependentRequired"],
  type: ["type"],
  schema: [
    ...["not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"],
    ...["unevaluatedItems", "unevaluatedProperties"],
  ],
  schemas: ["allOf", "anyOf", "oneOf", "prefixItems"],
  schemasByName: ["properties", "dependentSchemas", "$defs"],
  schemasByPattern: ["patternProperties"],
};

const formOfKeyword: ReadonlyMap<string, keyof typeof forms> = new Map(
  Object.entries(keywordsByForm).flatMap(([form, names]) =>
    names.map((name) => [name, form as keyof typeof forms] as const),
  ),
);

// They describe a value for people and tools. `title` is also part of messages.
const annotations =
  /^(title|description|examples?|externalDocs|xml|discriminator|deprecated|content(Encoding|MediaType|Schema)|\$comment|x-.*)$/;

/** Returns whether a keyword describes a value, without a requirement. */
export function isAnnotation(keyword: string): boolean {
  return annotations.test(keyword);
}

/**
 * Returns why a keyword of a schema can't be enforced: it is unknown, or its value has the wrong form. The reason completes
 * "The schema at /components/… …". Returns undefined if it can be enforced.
 */
export function findProblem(keyword: string, value: unknown): string | undefined {
  const name = formOfKeyword.get(keyword);
  if (name === undefined) return isAnnotation(keyword) ? undefined : `has the unknown keyword "${keyword}"`;
  const form: Form = forms[name];
  if (form.matches(value)) return undefined;
  return `has the keyword "${keyword}", which must be ${form.words}`;
}

/** A schema that is a direct part of another one. */
export interface Subschema {
  readonly schema: Schema;
  readonly keyword: string;
  /** The JSON pointer relative to the schema, without a slash at the beginning. */
  readonly place: string;
  /** The name or index behind the keyword; empty if the keyword has one schema. */
  readonly key: string;
}

/** Returns the schemas that are direct parts of a schema, also those behind `$defs`. Ignores invalid keywords. */
export function subschemasOf(schema: SchemaObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    const form = formOfKeyword.get(keyword);
    if (form === undefined || !form.startsWith("schema") || !forms[form].matches(value)) return [];
    if (form === "schema") return [{ schema: value as Schema, keyword, place: keyword, key: "" }];
    return Object.entries(value as Record<string, Schema>).map(([key, subschema]) => {
      return { schema: subschema, keyword, place: `${keyword}/${escapeToken(key)}`, key };
    });
  });
}

/** Returns the value of a keyword with each schema in it replaced. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  map: (schema: Schema, place: string) => unknown,
): unknown {
  switch (formOfKeyword.get(keyword)) {
    case "schema":
      return map(value as Schema, keyword);
    case "schemas":
      return (value as Schema[]).map((schema, index) => map(schema, `${keyword}/${index}`));
    case "schemasByName":
    case "schemasByPattern": {
      const entries = Object.entries(value as Record<string, Schema>);
      return Object.fromEntries(
        entries.map(([name, schema]) => [name, map(schema, `${keyword}/${escapeToken(name)}`)]),
      );
    }
    default:
      return value;
  }
}

/** Returns whether a value has a number of one of these types, at any depth. */
export function hasNumber(value: unknown, types: readonly string[] = ["number", "bigint"]): boolean {
  if (typeof value !== "object" || value === null) return types.includes(typeof value);
  return Object.values(value).some((member) => hasNumber(member, types));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isObject(value);
}

/** Returns whether a text is a regular expression. */
export function isPattern(text: string): boolean {
  try {
    toRegExp(text);
    return true;
  } catch {
    return false;
  }
}
