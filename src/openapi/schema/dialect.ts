// The dialects of schemas: that of OpenAPI 3.0 is upgraded to JSON Schema 2020-12.
import type { SchemaObject } from "../source/document-types.ts";

/**
 * Returns whether a dialect is JSON Schema 2020-12. It does not assert `format` (section 7.2.1), unlike that of OpenAPI, which
 * a schema has if it declares none.
 */
export function isJsonSchema(dialect: string | undefined): boolean {
  return dialect !== undefined && /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(dialect);
}

/** Returns whether a dialect is that of an OpenAPI document. */
export function isOpenApiDialect(dialect: string): boolean {
  return /^https:\/\/spec\.openapis\.org\/oas\/3\.\d\/dialect\/[\w-]+$/.test(dialect);
}

/** Returns a schema in the dialect of JSON Schema 2020-12, without its subschemas. */
export type Upgrade = (schema: SchemaObject) => SchemaObject;

const changed = ["nullable", "exclusiveMinimum", "exclusiveMaximum"];

/**
 * Upgrades a schema of OpenAPI 3.0 (3.0.4, section 4.7.24). Beside $ref, keywords are ignored. `nullable` adds null to
 * `type`, and has no effect without it. `exclusiveMinimum` and `exclusiveMaximum` are booleans.
 */
export const upgradeSchema30: Upgrade = (schema) => {
  if (typeof schema.$ref === "string") return { $ref: schema.$ref };
  if (!changed.some((name) => name in schema)) return schema;
  const { nullable, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  return {
    ...rest,
    ...(nullable === true && rest.type !== undefined && { type: [...new Set([rest.type, "null"].flat())] }),
    ...toLimit("minimum", minimum, exclusiveMinimum),
    ...toLimit("maximum", maximum, exclusiveMaximum),
  };
};

function toLimit(name: "minimum" | "maximum", limit: unknown, exclusive: unknown): SchemaObject {
  const exclusiveName = name === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  if (typeof exclusive === "number")
    return { ...(limit !== undefined && { [name]: limit }), [exclusiveName]: exclusive };
  return limit === undefined ? {} : { [exclusive === true ? exclusiveName : name]: limit };
}
