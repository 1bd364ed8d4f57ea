// Keywords with many subschemas, such as an object of 5,000 properties. Ajv would generate code that is nested as deeply,
// in quadratic time. Here, each subschema is compiled by itself, at its first use.
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import type { ValidationContext } from "./memoized-validation.ts";
import { escapeToken } from "./part.ts";
import { compilePattern } from "./regular-expressions.ts";
import type { SchemaObject } from "./schema-keywords.ts";
import type { SchemaNode } from "./schema-node.ts";
import { findMainError } from "./validation-messages.ts";

const maxInlined = 64;

/** A keyword with many subschemas. `whole` is the schema of which `node` is a part (`allOf`). */
export interface LargeKeyword {
  readonly keyword: string;
  readonly node: SchemaNode;
  readonly whole: SchemaNode;
}

/** Returns the function that validates a schema, as a part of `whole`. */
export type Compile = (node: SchemaNode, whole?: SchemaNode) => ValidateFunction;

/** Returns the error of a part of the value; undefined if it is valid. */
type Check = (value: unknown, context: ValidationContext, cxt: DataValidationCxt) => ErrorObject | undefined;

const isMembers = /^(properties|prefixItems|patternProperties|additionalProperties)$/;
const isPatterns = /^(patternProperties|additionalProperties)$/;
const isInPlace = /^(allOf|anyOf|oneOf|dependentSchemas)$/;

/** Returns whether a keyword of a schema has so many subschemas, or depends on so many, that Ajv can't compile it. */
export function isLarge(keyword: string, schema: SchemaObject): boolean {
  if (keyword === "additionalProperties")
    return schema.patternProperties !== undefined && isLarge("patternProperties", schema);
  const isList = isMembers.test(keyword) || isInPlace.test(keyword);
  return isList && Object.keys(schema[keyword] as object).length > maxInlined;
}

/** Returns what remains of a large keyword for Ajv: the names of members, which other keywords refer to. */
export function leaveNames(keyword: string, value: unknown): unknown {
  if (!isMembers.test(keyword) || keyword === "additionalProperties") return undefined;
  if (Array.isArray(value)) return value.map(() => true);
  return Object.fromEntries(Object.keys(value as object).map((name) => [name, true]));
}

/** Creates the validation of a large keyword. */
export function createLargeCheck({ keyword, node, whole }: LargeKeyword, compile: Compile): Check {
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

  const check = (part: SchemaNode, outer: SchemaNode, ...[value, context, cxt]: Parameters<Check>) => {
    const validate = compile(part, outer);
    return validate.call(context, value, cxt) ? undefined : findMainError(validate.errors as ErrorObject[]);
  };
  const checkMembers: Check = (value, context, cxt) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) !== (keyword === "prefixItems"))
      return undefined;
    for (const [name, member] of Object.entries(value))
      for (const part of partsOfMember(name)) {
        const instancePath = `${cxt.instancePath}/${escapeToken(name)}`;
        const place = { ...cxt, instancePath, parentData: value, parentDataProperty: name };
        const error = part && check(part, part, member, context, place);
        if (!error) continue;
        if (node.schema[keyword] !== false) return error;
        return { keyword, instancePath: cxt.instancePath, schemaPath: "", params: { additionalProperty: name } };
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
    return { keyword, instancePath: cxt.instancePath, schemaPath: "", params: {} };
  };
  if (isMembers.test(keyword)) return checkMembers;
  return /^(anyOf|oneOf)$/.test(keyword) ? checkAlternatives : checkAll;
}
