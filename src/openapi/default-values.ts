// Default values: compares them with the keywords of their own schema, without compiling it.

import { toJson } from "../lib/index.ts";
import { compilePattern } from "./regular-expressions.ts";
import { findProblem, hasNumber, type SchemaObject } from "./schema-keywords.ts";
import type { SchemaNode } from "./schema-node.ts";
import { toKey } from "./value-keywords.ts";

type Check = (value: unknown, limit: never) => boolean;

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || Number.isInteger(value)) return "integer";
  return typeof value;
};
const isType = (value: unknown, type: string | readonly string[]) => {
  const types = [type].flat();
  return types.includes(typeOf(value)) || (typeOf(value) === "integer" && types.includes("number"));
};
const numberCheck = (check: (value: number, limit: number) => boolean) => (value: unknown, limit: number) =>
  !isType(value, "number") || check(Number(value), Number(limit));
const textCheck = (check: (value: string, limit: never) => boolean) => (value: unknown, limit: never) =>
  typeof value !== "string" || check(value, limit);

const checks: Readonly<Record<string, Check>> = {
  type: isType,
  enum: (value, values: readonly unknown[]) => values.some((other) => toKey(other) === toKey(value)),
  const: (value, other: unknown) => toKey(other) === toKey(value),
  minimum: numberCheck((value, limit) => value >= limit),
  maximum: numberCheck((value, limit) => value <= limit),
  exclusiveMinimum: numberCheck((value, limit) => value > limit),
  exclusiveMaximum: numberCheck((value, limit) => value < limit),
  minLength: textCheck((value, limit) => [...value].length >= limit),
  maxLength: textCheck((value, limit) => [...value].length <= limit),
  pattern: textCheck((value, pattern) => compilePattern(pattern).test(value)),
};

/**
 * Returns what a default value must be that does not match a keyword of its schema, such as "of the type string". Returns
 * undefined if it matches. Does not check the keywords that have schemas.
 */
export function findMismatch(schema: SchemaObject, value: unknown): string | undefined {
  const failed = Object.entries(checks).find(
    ([keyword, check]) =>
      schema[keyword] !== undefined &&
      findProblem(keyword, schema[keyword]) === undefined &&
      !check(value, schema[keyword] as never),
  );
  if (failed) return `valid against ${failed[0]}: ${toJson(schema[failed[0]])}`;
  return hasNumber(value, ["bigint"]) ? "at most 2^53" : undefined;
}

/** Returns the default value of a schema, also behind references and `allOf`; undefined if there is none that is valid. */
export function defaultOf(node: SchemaNode): unknown {
  const parts = node.parts();
  const value = parts.find(({ schema }) => schema.default !== undefined)?.schema.default;
  if (value === undefined) return undefined;
  return parts.every(({ schema }) => findMismatch(schema, value) === undefined) ? value : undefined;
}
