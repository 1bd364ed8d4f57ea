// Keywords whose subschemas are compiled separately, each at its first use:
// - Those with many, such as an object of 5,000 properties. Ajv would generate code that is nested as deeply, in quadratic
//   time.
// - Alternatives with a discriminator, whose error is that of the alternative that the value names.
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import type { ValidationContext } from "./memoized-validation.ts";
import { escapeToken } from "./part.ts";
import { compilePattern } from "./regular-expressions.ts";
import type { SchemaObject } from "./schema-keywords.ts";
import { SchemaNode } from "./schema-node.ts";
import { findMainError } from "./validation-messages.ts";

const maxInlined = 64;

/** A keyword of a schema. `whole` is the schema of which `node` is a part (`allOf`). */
export interface SeparateKeyword {
  readonly keyword: string;
  readonly node: SchemaNode;
  readonly whole: SchemaNode;
}

/** Returns the function that validates a schema, as a part of `whole`. */
export type Compile = (node: SchemaNode, whole?: SchemaNode) => ValidateFunction;

/** Returns the error of a part of the value; undefined if it is valid. */
type Check = (value: unknown, context: ValidationContext, cxt: DataValidationCxt) => ErrorObject | undefined;

const isMembers = /^(properties|prefixItems|patternProperties|additionalProperties)$/;
const isAlternatives = /^(anyOf|oneOf)$/;
const isPatterns = /^(patternProperties|additionalProperties)$/;
const isInPlace = /^(allOf|anyOf|oneOf|dependentSchemas)$/;

/** Returns whether the subschemas of a keyword are compiled separately. */
export function isSeparate(keyword: string, schema: SchemaObject): boolean {
  if (keyword === "additionalProperties")
    return schema.patternProperties !== undefined && isSeparate("patternProperties", schema);
  if (isAlternatives.test(keyword) && schema.discriminator !== undefined) return true;
  const isList = isMembers.test(keyword) || isInPlace.test(keyword);
  return isList && Object.keys(schema[keyword] as object).length > maxInlined;
}

/** Returns what remains of a keyword for Ajv: the names of members, which other keywords refer to. */
export function leaveNames(keyword: string, value: unknown): unknown {
  if (!isMembers.test(keyword) || keyword === "additionalProperties") return undefined;
  if (Array.isArray(value)) return value.map(() => true);
  return Object.fromEntries(Object.keys(value as object).map((name) => [name, true]));
}

/** Creates the validation of a keyword. */
export function createSeparateCheck({ keyword, node, whole }: SeparateKeyword, compile: Compile): Check {
  const subschemas = node.subschemas().filter((subschema) => subschema.keyword === keyword);
  const parts = new Map(subschemas.map(({ key, place }) => [key, node.at(place)]));
  const { properties = {}, patternProperties = {} } = node.schema;
  const patterns = isPatterns.test(keyword) ? Object.keys(patternProperties as object).map(compilePattern) : [];
  const partsOfMember = (name: string): (SchemaNode | undefined)[] => {
    if (keyword === "patternProperties") return [...parts.values()].filter((_, index) => patterns[index]?.test(name));
    if (keyword !== "additionalProperties") return [parts.get(name)];
    const isKnown = Object.hasOwn(properties as object, name) || patterns.some((pattern) => pattern.test(name));
    return isKnown ? [] : [parts.get("")];
  };

  const createError = (name: string, path: string, params: object): ErrorObject => {
    return { keyword: name, instancePath: path, schemaPath: "", params, parentSchema: node.schema };
  };
  const discriminator = isAlternatives.test(keyword) ? readDiscriminator(node.schema, [...parts.values()]) : undefined;
  const select = (value: unknown, { instancePath }: DataValidationCxt): SchemaNode | ErrorObject | undefined => {
    if (discriminator === undefined || typeof value !== "object" || value === null || Array.isArray(value))
      return undefined;
    const { propertyName, names } = discriminator;
    if (!Object.hasOwn(value, propertyName))
      return createError("required", instancePath, { missingProperty: propertyName });
    const path = `${instancePath}/${escapeToken(propertyName)}`;
    const selected = names.get((value as Record<string, unknown>)[propertyName]);
    return selected ?? createError("enum", path, { allowedValues: [...names.keys()] });
  };

  const check = (part: SchemaNode, outer: SchemaNode, ...[value, context, cxt]: Parameters<Check>) => {
    const validate = compile(part, outer);
    return validate.call(context, value, cxt) ? undefined : findMainError(validate.errors as ErrorObject[]);
  };
  const checkMembers: Check = (value, context, cxt) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) !== (keyword === "prefixItems"))
      return undefined;
    for (const [name, member] of Object.entries(value))
      for (const part of member === undefined ? [] : partsOfMember(name)) {
        const instancePath = `${cxt.instancePath}/${escapeToken(name)}`;
        const parentDataProperty = Array.isArray(value) ? Number(name) : name;
        const place = { ...cxt, instancePath, parentData: value, parentDataProperty };
        const error = part && check(part, part, member, context, place);
        if (!error) continue;
        if (node.schema[keyword] !== false) return error;
        return createError(keyword, cxt.instancePath, { additionalProperty: name });
      }
    return undefined;
  };
  const checkAll: Check = (value, context, cxt) => {
    for (const [name, part] of parts) {
      const isActive =
        keyword === "allOf" || (typeof value === "object" && value !== null && Object.hasOwn(value, name));
      const error = isActive && check(part, whole, value, context, cxt);
      if (error) return error;
    }
    return undefined;
  };
  const checkAlternatives: Check = (value, context, cxt) => {
    let matching = 0;
    for (const part of parts.values()) {
      if (!check(part, whole, value, context, cxt)) matching++;
      if (matching === 1 && keyword === "anyOf") return undefined;
      if (matching > 1) break;
    }
    if (matching === 1) return undefined;
    const selected = matching === 0 ? select(value, cxt) : undefined;
    if (selected instanceof SchemaNode) return check(selected, whole, value, context, cxt);
    return selected ?? createError(keyword, cxt.instancePath, {});
  };
  if (isMembers.test(keyword)) return checkMembers;
  return isAlternatives.test(keyword) ? checkAlternatives : checkAll;
}

interface Discriminator {
  readonly propertyName: string;
  /** The alternatives by the values of the property. */
  readonly names: ReadonlyMap<unknown, SchemaNode>;
}

// OpenAPI 3.1.1, section 4.8.25. A name without a mapping is that of a schema of the document.
function readDiscriminator(schema: SchemaObject, alternatives: readonly SchemaNode[]): Discriminator | undefined {
  const { propertyName, mapping = {} } = (schema.discriminator ?? {}) as DiscriminatorObject;
  if (typeof propertyName !== "string") return undefined;
  const byReference = new Map(alternatives.map((node) => [node.schema.$ref, node]));
  const names = new Map<unknown, SchemaNode>();
  for (const [name, target] of Object.entries(mapping)) {
    const alternative = byReference.get(target) ?? byReference.get(`#/components/schemas/${target}`);
    if (alternative) names.set(name, alternative);
  }
  const mapped = new Set(names.values());
  for (const [reference, alternative] of byReference)
    if (typeof reference === "string" && !mapped.has(alternative))
      names.set(reference.replace(/^.*\//, ""), alternative);
  return names.size > 0 ? { propertyName, names } : undefined;
}

interface DiscriminatorObject {
  readonly propertyName?: unknown;
  readonly mapping?: Readonly<Record<string, string>>;
}
