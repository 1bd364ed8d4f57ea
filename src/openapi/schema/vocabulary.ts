// All keywords. Their order is that in which a schema checks them.
import { findSimilarName } from "../../lib/index.ts";
import type { RuleId, Schema, SchemaObject } from "../source/index.ts";
import { findForeignSyntax } from "./foreign-patterns.ts";
import * as form from "./form.ts";
import type { Keyword, Keywords } from "./keyword.ts";
import { arrayKeywords } from "./keywords/arrays.ts";
import { coreKeywords } from "./keywords/core.ts";
import { defaultKeywords } from "./keywords/defaults.ts";
import { directionKeywords } from "./keywords/directions.ts";
import { formatKeywords } from "./keywords/formats.ts";
import { logicKeywords } from "./keywords/logic.ts";
import { numberKeywords } from "./keywords/numbers.ts";
import { objectKeywords } from "./keywords/objects.ts";
import { textKeywords } from "./keywords/texts.ts";
import { typeKeywords } from "./keywords/types.ts";
import { unevaluatedKeywords } from "./keywords/unevaluated.ts";
import type { ListSubschemas, Subschema } from "./subschema.ts";

/** The keywords by name. */
export const vocabulary: ReadonlyMap<string, Keyword> = new Map(
  [
    directionKeywords,
    typeKeywords,
    numberKeywords,
    textKeywords,
    formatKeywords,
    objectKeywords,
    arrayKeywords,
    coreKeywords,
    logicKeywords,
    unevaluatedKeywords,
    defaultKeywords,
  ].flatMap((keywords: Keywords) => Object.entries(keywords)),
);

const positions = new Map([...vocabulary.keys()].map((name, index) => [name, index]));

/** Returns the keywords of a schema that are requirements, in the order in which they are checked. */
export function keywordsOf(schema: SchemaObject): string[] {
  const names = Object.keys(schema).filter((name) => {
    const { compile, compileLast, applies } = vocabulary.get(name) ?? {};
    return compile !== undefined || compileLast !== undefined || applies === "whole";
  });
  return names.length < 2 ? names : names.sort((a, b) => Number(positions.get(a)) - Number(positions.get(b)));
}

// They describe a value for people and tools. `title` is also part of messages, and `discriminator` selects an alternative.
const annotations: ReadonlySet<string> = new Set([
  ...["title", "description", "example", "examples", "externalDocs", "xml", "discriminator", "deprecated"],
  ...["contentEncoding", "contentMediaType", "contentSchema", "$comment", "$vocabulary"],
]);

/** Why a keyword is not enforced. The reason completes "The schema at /components/… …". */
export interface KeywordProblem {
  readonly rule: RuleId;
  readonly reason: string;
}

/**
 * Returns why a keyword of a schema is not enforced: it is unknown, or its value has the wrong form. Returns undefined if it is
 * enforced.
 */
export function findProblem(schema: SchemaObject, name: string): KeywordProblem | undefined {
  const value = schema[name];
  const keyword = vocabulary.get(name);
  if (keyword === undefined) return isAnnotation(name) ? undefined : describeUnknownKeyword(name, schema);
  if (keyword.form.matches(value)) return undefined;
  const rule = name === "pattern" || keyword.form === form.schemasByPattern ? "pattern" : "keyword-value";
  return { rule, reason: `has the keyword "${name}", which must be ${keyword.form.words}` };
}

function isAnnotation(name: string): boolean {
  return annotations.has(name) || name.startsWith("x-");
}

// Keywords of other dialects, with what to write instead.
const replacements: Readonly<Record<string, (schema: SchemaObject) => string>> = {
  nullable: ({ nullable, type }) => {
    const types = type === undefined ? ["…"] : [type].flat();
    return nullable === true && !types.includes("null") ? `write type: [${types.join(", ")}, "null"]` : "remove it";
  },
  definitions: () => "write $defs",
  dependencies: () => "write dependentRequired or dependentSchemas",
  additionalItems: () => "write prefixItems and items",
  $recursiveRef: () => "write $dynamicRef",
  $recursiveAnchor: () => "write $dynamicAnchor",
  id: () => "write $id",
};

function describeUnknownKeyword(name: string, schema: SchemaObject): KeywordProblem {
  const replace = Object.hasOwn(replacements, name) ? replacements[name] : undefined;
  if (replace) return { rule: `keyword:${name}`, reason: `has the unknown keyword "${name}": ${replace(schema)}` };
  const similar = findSimilarName(name, [...vocabulary.keys(), ...annotations, ...Object.keys(replacements)]);
  if (similar)
    return { rule: `misspelled:${name}`, reason: `has the unknown keyword "${name}": did you mean ${similar}?` };
  return { rule: `keyword:${name}`, reason: `has the unknown keyword "${name}", which is not enforced` };
}

/** Returns why a regular expression of a keyword is not certain; undefined if it is. */
export function findForeignPattern(schema: SchemaObject, name: string): KeywordProblem | undefined {
  const value = schema[name];
  const patterns = name === "pattern" ? [value] : name === "patternProperties" ? Object.keys(value as object) : [];
  for (const pattern of patterns as string[]) {
    const part = findForeignSyntax(pattern);
    if (part)
      return { rule: "pattern", reason: `has the regular expression ${pattern}, which is not ECMAScript in ${part}` };
  }
  return undefined;
}

export const listSubschemas: ListSubschemas = (schema, applications) => {
  const found: Subschema[] = [];
  for (const keyword in schema) {
    const { form, applies } = vocabulary.get(keyword) ?? {};
    if (form?.schemas === undefined || applies === undefined || applications?.has(applies) === false) continue;
    const value = schema[keyword];
    if (!form.matches(value)) continue;
    if (form.schemas === "one") found.push({ keyword, key: undefined, schema: value as Schema });
    else
      for (const [key, subschema] of Object.entries(value as Readonly<Record<string, Schema>>))
        found.push({ keyword, key, schema: subschema });
  }
  return found;
};
