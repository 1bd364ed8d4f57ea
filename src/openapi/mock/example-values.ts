// Values of the primitive types, for the examples of schemas.

import { isInt64 } from "../schema/keywords/integers.ts";
import type { SchemaNode } from "../schema/node.ts";
import { exampleOfFormat, exampleOfPattern } from "./example-text.ts";

const int64Limit = Number.MAX_SAFE_INTEGER;

type Json = Readonly<Record<string, unknown>>;

/** Returns the keywords of all schemas together. Of limits, the narrower one. */
export function mergeKeywords(parts: readonly SchemaNode[]): Json {
  const merged: Record<string, unknown> = {};
  for (const { schema } of parts)
    for (const [keyword, value] of Object.entries(schema)) {
      const before = merged[keyword];
      if (before === undefined) merged[keyword] = value;
      else if (/^(min|exclusiveMin)/.test(keyword)) merged[keyword] = Math.max(Number(before), Number(value));
      else if (/^(max|exclusiveMax)/.test(keyword)) merged[keyword] = Math.min(Number(before), Number(value));
      else if (keyword === "type" || keyword === "enum") {
        const both = [before].flat().filter((item) => [value].flat().includes(item));
        if (both.length > 0) merged[keyword] = both;
      }
    }
  return merged;
}

const otherTypes = ["integer", "boolean", "null", "object", "array"];

/** Returns the type of the value that is created. `choice` selects another one if the schema allows all. */
export function selectType(merged: Json, choice: number): string {
  const types = [merged.type ?? []].flat() as string[];
  if (types.length > 0) return types.find((type) => type !== "null") ?? "null";
  if (merged.properties ?? merged.required ?? merged.additionalProperties ?? merged.minProperties) return "object";
  if (merged.items ?? merged.prefixItems ?? merged.minItems ?? merged.contains) return "array";
  if ([merged.minimum, merged.maximum, merged.multipleOf].some((limit) => limit !== undefined)) return "number";
  const isText = [merged.pattern, merged.minLength, merged.maxLength, merged.format].some(
    (keyword) => keyword !== undefined,
  );
  return choice === 0 || isText ? "string" : (otherTypes[(choice - 1) % otherTypes.length] as string);
}

/** Returns about how many values a schema of a type has, at most 100: one for an object or array, whose parts differ. */
export function countValues({ enum: values, minimum, maximum }: Json, type: string): number {
  if (Array.isArray(values)) return values.length;
  if (type === "boolean") return 2;
  if (type === "object" || type === "array") return 1;
  const count = Number(maximum) - Number(minimum) + 1;
  return count >= 1 && count < 100 ? Math.floor(count) : 100;
}

/** Creates a number or integer within its limits. `index` selects one of several. */
export function createNumber(merged: Json, index: number): number | bigint {
  const { minimum, maximum } = merged;
  if (isInt64(merged) && Number(minimum) > int64Limit) return BigInt(minimum as number | bigint);
  if (isInt64(merged) && Number(maximum) < -int64Limit) return BigInt(maximum as number | bigint);
  const isInteger = [merged.type].flat().includes("integer") || merged.type === undefined;
  const step = merged.multipleOf === undefined ? (isInteger ? 1 : 0.5) : Number(merged.multipleOf);
  const value = chooseMultiple(merged, step, index) ?? middleOf(merged, isInteger);
  return isInt64(merged) && Number.isInteger(value) ? BigInt(value) : value;
}

// Multiples of the step from 1 on, or from the lowest that is allowed if that is greater.
function chooseMultiple(merged: Json, step: number, index: number): number | undefined {
  const low = Number(merged.minimum ?? -int64Limit);
  const high = Number(merged.maximum ?? int64Limit);
  const { exclusiveMinimum, exclusiveMaximum } = merged;
  let least = Math.ceil(low / step);
  let most = Math.floor(high / step);
  if (exclusiveMinimum !== undefined) least = Math.max(least, Math.floor(Number(exclusiveMinimum) / step) + 1);
  if (exclusiveMaximum !== undefined) most = Math.min(most, Math.ceil(Number(exclusiveMaximum) / step) - 1);
  if (least > most) return undefined;
  const first = Math.ceil(1 / step);
  const start =
    least > 0 || most < 1 ? (most < 1 && low === -int64Limit ? most : least) : Math.min(Math.max(least, first), most);
  const factor = start + index <= most ? start + index : least + ((start + index - least) % (most - least + 1));
  return Number((factor * step).toPrecision(15)); // 0.3, and not 0.30000000000000004
}

// Of limits that have no multiple between them.
function middleOf(merged: Json, isInteger: boolean): number {
  const low = Number(merged.minimum ?? merged.exclusiveMinimum ?? -int64Limit);
  const high = Number(merged.maximum ?? merged.exclusiveMaximum ?? int64Limit);
  return isInteger ? Math.floor((low + high) / 2) : (low + high) / 2;
}

/** Creates a text of its format, pattern and length. `index` selects one of several, or `random` if it has a pattern. */
export function createText(merged: Json, index: number, random?: (count: number) => number): string {
  const min = Number(merged.minLength ?? 0);
  const max = Number(merged.maxLength ?? Number.POSITIVE_INFINITY);
  const pattern = merged.pattern as string | undefined;
  const text =
    (pattern === undefined
      ? exampleOfFormat(merged.format as string | undefined, index)
      : exampleOfPattern(pattern, min, max, index, random)) ?? (index > 0 ? `text${index + 1}` : "text");
  if (pattern !== undefined || (merged.format !== undefined && text.length >= min && text.length <= max)) return text;
  // A short one begins with what distinguishes it.
  const short = text.length > max && index > 0 ? index.toString(36) + text : text;
  return short.padEnd(Math.min(min, 1_000_000), "x").slice(0, max);
}

/** Returns a value of an enum, which is null only if the values are varied, or if there is no other. */
export function chooseValue(values: readonly unknown[], index: number, isVaried: boolean): unknown {
  const others = values.filter((value) => isVaried || value !== null);
  return others.length > 0 ? others[index % others.length] : values[0];
}
