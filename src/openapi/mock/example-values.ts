// Values of the primitive types, for the examples of schemas.

import { isInt64, type SchemaNode } from "../schema/index.ts";
import { sampleFormat, samplePattern } from "./sample-text.ts";

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

/** Returns the type of the value that is created. */
export function selectType(merged: Json): string {
  const types = [merged.type ?? []].flat() as string[];
  if (types.length > 0) return types.find((type) => type !== "null") ?? "null";
  if (merged.properties ?? merged.required ?? merged.additionalProperties ?? merged.minProperties) return "object";
  if (merged.items ?? merged.prefixItems ?? merged.minItems ?? merged.contains) return "array";
  return [merged.minimum, merged.maximum, merged.multipleOf].some((limit) => limit !== undefined) ? "number" : "string";
}

/** Creates a number or integer within its limits. `index` selects one of several. */
export function createNumber(merged: Json, index: number): number | bigint {
  const { minimum, maximum } = merged;
  if (isInt64(merged) && Number(minimum) > int64Limit) return BigInt(minimum as number | bigint);
  if (isInt64(merged) && Number(maximum) < -int64Limit) return BigInt(maximum as number | bigint);
  const isInteger = [merged.type].flat().includes("integer") || merged.type === undefined;
  const step = merged.multipleOf === undefined ? (isInteger ? 1 : 0.5) : Number(merged.multipleOf);
  const min = Math.max(Number(merged.minimum ?? -int64Limit), Number(merged.exclusiveMinimum ?? -int64Limit));
  const max = Math.min(Number(merged.maximum ?? int64Limit), Number(merged.exclusiveMaximum ?? int64Limit));
  const isExcluded = (value: number) =>
    value <= Number(merged.exclusiveMinimum ?? -Infinity) || value >= Number(merged.exclusiveMaximum ?? Infinity);
  let value = min > 0 || max < 0 ? Math.ceil(min / step) * step : 0;
  if (min === -int64Limit && max < 0) value = Math.floor(max / step) * step;
  value += index * step + (value === 0 && max >= step ? step : 0);
  if (isExcluded(value)) value += value + step <= max ? step : -step;
  if (isExcluded(value) || value > max) value = isInteger ? Math.floor((min + max) / 2) : (min + max) / 2;
  return isInt64(merged) && Number.isInteger(value) ? BigInt(value) : value;
}

/** Creates a text of its format, pattern and length. `index` selects one of several. */
export function createText(merged: Json, index: number): string {
  const min = Number(merged.minLength ?? 0);
  const max = Number(merged.maxLength ?? Number.POSITIVE_INFINITY);
  const pattern = merged.pattern as string | undefined;
  const text =
    (pattern === undefined
      ? sampleFormat(merged.format as string | undefined, index)
      : samplePattern(pattern, min, max)) ?? (index > 0 ? `text${index + 1}` : "text");
  if (pattern !== undefined || (merged.format !== undefined && text.length >= min && text.length <= max)) return text;
  return text.padEnd(Math.min(min, 1_000_000), "x").slice(0, max);
}
