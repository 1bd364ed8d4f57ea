// The keywords of numbers. Ajv knows only JavaScript numbers, which round beyond 2^53. The JSON parser (src/lib) returns
// larger integers as bigint, so these keywords replace those of Ajv and accept both.
import type { Ajv2020, FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { DataValidateFunction } from "ajv/dist/types/index.js";
import type { SchemaObject } from "./schema-keywords.ts";
import { addArticle } from "./validation-messages.ts";

type Numeric = number | bigint;

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The range of each format of integers, of the format registry of OpenAPI. */
const integerFormats: Readonly<Record<string, Range>> = {
  int8: signed(8n),
  int16: signed(16n),
  int32: signed(32n),
  int64: signed(64n),
  uint8: unsigned(8n),
  uint16: unsigned(16n),
  uint32: unsigned(32n),
  uint64: unsigned(64n),
};

function signed(bits: bigint): Range {
  return { min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n };
}

function unsigned(bits: bigint): Range {
  return { min: 0n, max: 2n ** bits - 1n };
}

/** The name of the keyword that replaces `type` in the schemas of numbers. */
export const numericType = "numericType";

/** Returns whether a schema describes an integer that is a bigint in TypeScript. */
export function isInt64({ type, format }: SchemaObject): boolean {
  return is64Bit(format) && [type].flat().includes("integer");
}

/**
 * Returns whether a schema describes a number of JavaScript, although the JSON parser may return a bigint. An integer beyond 2^53
 * is one only if the limits of the schema say so, because it is rounded.
 */
export function isRoundedNumber(schema: SchemaObject): boolean {
  const types = [schema.type].flat();
  return types.includes("number") || (types.includes("integer") && !isInt64(schema) && hasLargeLimit(schema));
}

function hasLargeLimit({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, format }: SchemaObject): boolean {
  const limits = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].map((limit) => Math.abs(Number(limit ?? 0)));
  return format === undefined && Math.max(...limits) > 2 ** 53;
}

// The formats of integers that a string can also have.
function is64Bit(format: unknown): boolean {
  return format === "int64" || format === "uint64";
}

/** Replaces the `type` of a schema that allows numbers, or an integer as a string, by `numericType`. */
export function replaceNumericType(schema: SchemaObject): SchemaObject {
  const { type, format, ...rest } = schema;
  const types = [type].flat();
  const isIntegerFormat = Object.hasOwn(integerFormats, `${format}`);
  if (!types.some((name) => name === "integer" || name === "number" || (name === "string" && is64Bit(format))))
    return schema;
  const isNumberFormat = isIntegerFormat || format === "float" || format === "double";
  return {
    ...rest,
    ...(format !== undefined && !isNumberFormat && { format }),
    [numericType]: { ...schema, type: types },
  };
}

/** Adds the formats of integers to an Ajv, for schemas without a type. */
export function addIntegerFormats(ajv: Ajv2020): void {
  for (const [name, range] of Object.entries(integerFormats))
    ajv.addFormat(name, { type: "number", validate: createRangeCheck(range) });
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

const isInteger = (data: unknown) => typeof data === "bigint" || Number.isInteger(data);

// Compares most numbers with numbers, because a comparison with a bigint takes much longer.
function createRangeCheck({ min, max }: Range): (data: unknown) => boolean {
  const [least, most] = [Number(min), Number(max)];
  return (data) => {
    if (Number.isSafeInteger(data)) return (data as number) >= least && (data as number) <= most;
    return isInteger(data) && (data as Numeric) >= min && (data as Numeric) <= max;
  };
}

// A string of decimal digits, as in Google's documents.
function createTextCheck(range: Range): (data: unknown) => boolean {
  const isInRange = createRangeCheck(range);
  return (data) => typeof data === "string" && /^-?\d{1,20}$/.test(data) && isInRange(BigInt(data));
}

const type: FuncKeywordDefinition = {
  keyword: numericType,
  errors: true,
  compile(schema: SchemaObject & { readonly type: readonly string[] }) {
    const { format, type, minimum, maximum } = schema;
    const range = Object.hasOwn(integerFormats, `${format}`) ? integerFormats[`${format}`] : undefined;
    const { min: least, max: most } = range ?? { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
    const checks = type.map((name) => {
      if (range && (name === "integer" || name === "number")) return createRangeCheck(range);
      if (range && name === "string" && is64Bit(format)) return createTextCheck(range);
      if (name === "integer" && hasLargeLimit(schema)) return isInteger;
      return typeChecks[name] as (data: unknown) => boolean;
    });
    const words = `from ${least} to ${most}`;
    const names = type.map((name) =>
      range && is64Bit(format) && (name === "string" || name === "integer")
        ? `${addArticle(name)} ${words}`
        : addArticle(name),
    );
    return toValidate((data) => {
      if (checks.some((check) => check(data))) return undefined;
      if (isInteger(data) && !isInt64(schema) && type.some((name) => /^(integer|number)$/.test(name)))
        return `an integer from ${minimum ?? least} to ${maximum ?? most}`;
      return names.join(" or ");
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
