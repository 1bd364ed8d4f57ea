// The keywords of numbers. Ajv knows only JavaScript numbers, which round beyond 2^53. The JSON parser (src/lib) returns
// larger integers as bigint, so these keywords replace those of Ajv and accept both.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { DataValidateFunction } from "ajv/dist/types/index.js";
import type { SchemaObject } from "./schema-keywords.ts";
import { addArticle } from "./validation-messages.ts";

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

type Numeric = number | bigint;

/** The name of the keyword that replaces `type` in the schemas of numbers. */
export const numericType = "numericType";

/** Returns whether a schema describes an integer that is a bigint in TypeScript. */
export function isInt64({ type, format }: SchemaObject): boolean {
  return format === "int64" && [type].flat().includes("integer");
}

/** Replaces the `type` of a schema that allows numbers by `numericType`. */
export function replaceNumericType(schema: SchemaObject): SchemaObject {
  const { type, ...rest } = schema;
  if (![type].flat().some((name) => name === "integer" || name === "number")) return schema;
  // Without the format, which concerns only its integers.
  const { format, ...others } = rest;
  const isNumberFormat = ["int32", "int64", "float", "double"].includes(format as string);
  return { ...(isNumberFormat ? others : rest), [numericType]: { ...schema, type: [type].flat() } };
}

const typeChecks: Readonly<Record<string, (data: unknown) => boolean>> = {
  string: (data) => typeof data === "string",
  boolean: (data) => typeof data === "boolean",
  null: (data) => data === null,
  array: (data) => Array.isArray(data),
  object: (data) => typeof data === "object" && data !== null && !Array.isArray(data),
  number: (data) => typeof data === "bigint" || Number.isFinite(data),
  integer: (data) => Number.isSafeInteger(data),
};

function isInt64Value(data: unknown): boolean {
  if (typeof data !== "bigint" && !Number.isInteger(data)) return false;
  return (data as Numeric) >= minInt64 && (data as Numeric) <= maxInt64;
}

const isInt32Value = (data: unknown) => Number.isInteger(data) && (data as number) === ((data as number) | 0);

const type: FuncKeywordDefinition = {
  keyword: numericType,
  errors: true,
  compile(schema: SchemaObject & { readonly type: readonly string[] }) {
    const { format } = schema;
    const limit = format === "int32" ? 2 ** 31 : 2 ** 53;
    const { minimum = format === "int32" ? -limit : 1 - limit, maximum = limit - 1 } = schema;
    const checks = schema.type.map((name) => {
      if (name !== "integer") return typeChecks[name] as (data: unknown) => boolean;
      if (format === "int64") return isInt64Value;
      return format === "int32" ? isInt32Value : (typeChecks.integer as (data: unknown) => boolean);
    });
    const range = format === "int64" ? ` from ${minInt64} to ${maxInt64}` : "";
    const names = schema.type.map((name) => `${addArticle(name)}${name === "integer" ? range : ""}`);
    return toValidate((data) => {
      if (checks.some((check) => check(data))) return undefined;
      const isInexact = typeof data === "bigint" || Number.isInteger(data);
      return isInexact && !range ? `an integer from ${minimum} to ${maximum}` : names.join(" or ");
    });
  },
};

interface Constraint {
  holds(value: Numeric, limit: number): boolean;
  /** Completes the message "must be … LIMIT". */
  readonly words: string;
}

const constraints: Readonly<Record<string, Constraint>> = {
  minimum: { holds: (value, limit) => value >= limit, words: "at least" },
  maximum: { holds: (value, limit) => value <= limit, words: "at most" },
  exclusiveMinimum: { holds: (value, limit) => value > limit, words: "greater than" },
  exclusiveMaximum: { holds: (value, limit) => value < limit, words: "less than" },
  multipleOf: { holds: isMultiple, words: "a multiple of" },
};

function isMultiple(value: Numeric, divisor: number): boolean {
  if (Number.isSafeInteger(divisor) && Number.isInteger(Number(value))) return BigInt(value) % BigInt(divisor) === 0n;
  // With a tolerance, because a decimal fraction is not exact: 4.35 / 0.01 is 434.99999999999994.
  const quotient = Number(value) / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-12 * Math.abs(quotient);
}

const limits = Object.entries(constraints).map(
  ([keyword, { holds, words }]): FuncKeywordDefinition => ({
    keyword,
    errors: true,
    compile: (limit: number) =>
      toValidate((data) => {
        if (typeof data !== "number" && typeof data !== "bigint") return undefined;
        return holds(data, limit) ? undefined : `${words} ${limit}`;
      }),
  }),
);

/** The keywords, to be added to Ajv in place of its own. */
export const numberKeywords = [type, ...limits];

/** Creates Ajv's function from one that returns the requirement that the value violates ("must be …"), if any. */
function toValidate(check: (data: unknown) => string | undefined): DataValidateFunction {
  const validate: DataValidateFunction = (data: unknown) => {
    const requirement = check(data);
    if (requirement) validate.errors = [{ message: `must be ${requirement}` }];
    return requirement === undefined;
  };
  return validate;
}
