// What of a single schema is not enforced: unknown keywords and formats, wrong values, and uncertain or slow regular expressions.
import { findSimilarName } from "../../../lib/index.ts";
import type { SchemaObject } from "../../source/document-types.ts";
import type { RuleId } from "../../source/findings.ts";
import { isJsonSchema, isOpenApiDialect } from "../dialect.ts";
import type { Formats } from "../keyword.ts";
import { formatNames, isFormat } from "../keywords/formats.ts";
import type { SchemaNode } from "../node.ts";
import { findForeignSyntax } from "../texts/foreign-patterns.ts";
import { isSlow } from "../texts/regular-expressions.ts";
import * as form from "../value-forms.ts";
import { vocabulary } from "../vocabulary.ts";

// They describe a value for people and tools. `title` is also part of messages, and `discriminator` selects an alternative.
const annotations: ReadonlySet<string> = new Set([
  ...["title", "description", "example", "examples", "externalDocs", "xml", "discriminator", "deprecated"],
  ...["contentEncoding", "contentMediaType", "$comment", "$vocabulary"],
]);

/** Why a keyword is not enforced. The reason completes "The schema at /components/… …". */
export interface KeywordProblem {
  readonly rule: RuleId;
  readonly reason: string;
}

/**
 * Returns why keywords of a schema are not enforced, by keyword. `checksPatterns` tells whether slow regular expressions are searched,
 * which can load RE2 (10 to 30 ms).
 */
export function findKeywordProblems({ schema }: SchemaNode, checksPatterns: boolean): [string, KeywordProblem][] {
  return Object.keys(schema).flatMap((keyword): [string, KeywordProblem][] => {
    const problem =
      findProblem(schema, keyword) ??
      findForeignPattern(schema, keyword) ??
      (checksPatterns ? findSlowPattern(schema, keyword) : undefined);
    return problem ? [[keyword, problem]] : [];
  });
}

/** Returns why the format, the dialect or the `contentSchema` of a schema is not enforced. */
export function findAnnotationProblems(node: SchemaNode, formats: Formats): KeywordProblem[] {
  const { format, $schema, contentSchema } = node.schema;
  const found: KeywordProblem[] = [];
  if (typeof $schema === "string" && !isJsonSchema($schema) && !isOpenApiDialect($schema))
    found.push({ rule: "dialect", reason: `has the $schema ${$schema}, which is read as JSON Schema 2020-12` });
  if (typeof format === "string" && !isFormat(format, formats) && node.assertsFormats)
    found.push(describeUnknownFormat(format, formats));
  if (contentSchema !== undefined && node.assertsFormats) {
    const reason = "has a contentSchema, which is not enforced, because the text is not parsed";
    found.push({ rule: "keyword:contentSchema", reason });
  }
  return found;
}

function describeUnknownFormat(format: string, formats: Formats): KeywordProblem {
  const similar = findSimilarName(format, formatNames(formats), 5);
  const hint = similar === undefined ? "" : `: did you mean ${similar}?`;
  return { rule: `format:${format}`, reason: `has the unknown format "${format}", which is not enforced${hint}` };
}

function findSlowPattern(schema: SchemaObject, keyword: string): KeywordProblem | undefined {
  const length = keyword === "pattern" ? schema.maxLength : undefined;
  const slow = patternsOf(schema, keyword).find((text) => form.isPattern(text) && isSlow(text, length));
  if (slow === undefined) return undefined;
  const reason = `has the regular expression ${slow}, which is not enforced, because it may take exponential or polynomial time: simplify it, or add a maxLength`;
  return { rule: "slow-pattern", reason };
}

function patternsOf(schema: SchemaObject, keyword: string): string[] {
  if (keyword === "pattern") return [schema.pattern as string];
  return keyword === "patternProperties" ? Object.keys(schema.patternProperties as object) : [];
}

const listName = "list the name of the property in `required` of its object";

// It is unknown, or its value has the wrong form.
function findProblem(schema: SchemaObject, name: string): KeywordProblem | undefined {
  const value = schema[name];
  const keyword = vocabulary.get(name);
  if (keyword === undefined) return isAnnotation(name) ? undefined : describeUnknownKeyword(name, schema);
  if (keyword.form.matches(value)) return undefined;
  if (name === "required" && typeof value === "boolean")
    return { rule: "keyword:required", reason: `has required: ${value}, which is not enforced: ${listName}` };
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

// Why a regular expression of a keyword is not certain.
function findForeignPattern(schema: SchemaObject, name: string): KeywordProblem | undefined {
  for (const pattern of patternsOf(schema, name)) {
    const part = findForeignSyntax(pattern);
    if (part)
      return { rule: "pattern", reason: `has the regular expression ${pattern}, which is not ECMAScript in ${part}` };
  }
  return undefined;
}
