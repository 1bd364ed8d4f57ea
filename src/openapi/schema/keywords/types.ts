// Types and fixed values (JSON Schema validation 2020-12, section 6.1), and the conversion of numbers: an int64 becomes a bigint,
// and any other number a JavaScript number. The JSON parser returns a bigint only for an integer that a number can't represent.
import type { SchemaObject } from "../../source/index.ts";

import { areEqual, toComparable } from "../equality.ts";
import * as form from "../form.ts";
import type { Compile, Keyword, Keywords, Wording } from "../keyword.ts";
import { toText } from "../wording.ts";

type Test = (value: unknown) => boolean;

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The ranges of the formats of integers, of the format registry of OpenAPI. */
const ranges: ReadonlyMap<unknown, Range> = new Map(
  [8n, 16n, 32n, 64n].flatMap((bits) => [
    [`int${bits}`, { min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n }],
    [`uint${bits}`, { min: 0n, max: 2n ** bits - 1n }],
  ]),
);

const safeRange: Range = { min: BigInt(Number.MIN_SAFE_INTEGER), max: BigInt(Number.MAX_SAFE_INTEGER) };
const typesOf = ({ type = [] }: SchemaObject) => [type].flat() as string[];
const is64Bit = (format: unknown) => format === "int64" || format === "uint64";

/** Returns whether a schema describes an integer that is a bigint in TypeScript. */
export function isInt64(schema: SchemaObject): boolean {
  return is64Bit(schema.format) && typesOf(schema).includes("integer");
}

// An integer beyond 2^53 is allowed only if the limits of the schema say so, because it is rounded.
function hasLargeLimit({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, format }: SchemaObject): boolean {
  const limits = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].map((limit) => Math.abs(Number(limit ?? 0)));
  return format === undefined && Math.max(...limits) > 2 ** 53;
}

const isInteger: Test = (value) => typeof value === "bigint" || Number.isInteger(value);

// Compares most numbers with numbers, because a comparison with a bigint takes much longer.
function createRangeTest({ min, max }: Range): Test {
  const [least, most] = [Number(min), Number(max)];
  return (value) => {
    if (Number.isSafeInteger(value)) return (value as number) >= least && (value as number) <= most;
    return isInteger(value) && (value as number | bigint) >= min && (value as number | bigint) <= max;
  };
}

/** Returns the test of a format of integers, for numbers of any type; undefined for another format. */
export function findRangeTest(format: string): Test | undefined {
  const range = ranges.get(format);
  return range && createRangeTest(range);
}

const tests: Readonly<Record<string, Test>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: form.isObject,
  number: (value) => typeof value === "bigint" || Number.isFinite(value),
  integer: Number.isSafeInteger,
};

function createTest(name: string, schema: SchemaObject): Test {
  const isInRange = findRangeTest(`${schema.format}`);
  if (isInRange && (name === "integer" || name === "number")) return isInRange;
  // As in Google's documents.
  if (isInRange && name === "string" && is64Bit(schema.format))
    return (value) => typeof value === "string" && /^-?\d{1,20}$/.test(value) && isInRange(BigInt(value));
  return name === "integer" && hasLargeLimit(schema) ? isInteger : (tests[name] as Test);
}

const compileType: Compile = ({ schema: written, assertsFormats }) => {
  const schema = assertsFormats || isInt64(written) ? written : { ...written, format: undefined };
  const names = typesOf(schema);
  const [first, ...others] = names.map((name) => createTest(name, schema)) as [Test, ...Test[]];
  const isType: Test = others.length === 0 ? first : (value) => first(value) || others.some((test) => test(value));
  if (isInt64(schema))
    return (value, run) => {
      if (!isType(value)) return run.fail("type", schema, value);
      if (run.changes && isInteger(value)) run.replace(BigInt(value as number | bigint));
      return true;
    };
  if (names.includes("number") || (names.includes("integer") && hasLargeLimit(schema)))
    return (value, run) => {
      if (!isType(value)) return run.fail("type", schema, value);
      if (run.changes && typeof value === "bigint") run.replace(Number(value), true);
      return true;
    };
  return (value, run) => isType(value) || run.fail("type", schema, value);
};

const articles: Readonly<Record<string, string>> = {
  array: "an array",
  integer: "an integer",
  object: "an object",
  null: "null",
};

// The stricter of both limits, as an integer.
function leastOf({ minimum, exclusiveMinimum: limit }: SchemaObject): unknown {
  const next = Number.isSafeInteger(limit) ? (limit as number) + 1 : undefined;
  return minimum === undefined || Number(next) > Number(minimum) ? next : minimum;
}

function greatestOf({ maximum, exclusiveMaximum: limit }: SchemaObject): unknown {
  const next = Number.isSafeInteger(limit) ? (limit as number) - 1 : undefined;
  return maximum === undefined || Number(next) < Number(maximum) ? next : maximum;
}

function describeType(schema: SchemaObject, value: unknown, { areTexts }: Wording): string {
  const { format } = schema;
  const { min, max } = ranges.get(format) ?? safeRange;
  const types = typesOf(schema);
  if (isInteger(value) && !isInt64(schema) && types.some((name) => name === "integer" || name === "number"))
    return `must be an integer from ${leastOf(schema) ?? min} to ${greatestOf(schema) ?? max}`;
  const words = types.map((name) => {
    const type = articles[name] ?? `a ${name}`;
    return is64Bit(format) && (name === "string" || name === "integer") ? `${type} from ${min} to ${max}` : type;
  });
  const digits = areTexts && types[0] === "integer" ? ", in plain decimal digits" : "";
  return `must be ${words.join(" or ")}${digits}`;
}

function defineValues(name: string, valuesOf: (schema: SchemaObject) => readonly unknown[]): Partial<Keyword> {
  return {
    isBasic: true,
    compile: ({ schema }) => {
      const values = valuesOf(schema);
      const simple = new Set(values.map(toComparable));
      const others = values.filter((value) => typeof value === "object" && value !== null);
      return (value, run) => {
        const isObject = typeof value === "object" && value !== null;
        const isEqual = isObject ? others.some((other) => areEqual(other, value)) : simple.has(toComparable(value));
        return isEqual || run.fail(name, schema);
      };
    },
  };
}

export const typeKeywords: Keywords = {
  type: { form: form.type, isBasic: true, compile: compileType, describe: describeType },
  const: {
    form: form.any,
    ...defineValues("const", (schema) => [schema.const]),
    describe: (schema) => `must be equal to ${toText(schema.const)}`,
  },
  enum: {
    form: form.list,
    ...defineValues("enum", (schema) => schema.enum as unknown[]),
    describe: (schema) => {
      const values = schema.enum as unknown[];
      return values.length === 0 ? "is not allowed" : `must be one of: ${values.map(toText).join(", ")}`;
    },
  },
};
