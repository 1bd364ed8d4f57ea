// Numbers in a schema, never rounded. Ajv knows only JavaScript's numbers, which round beyond 2^53;
// src/lib/json.ts hands over what they can't hold as a bigint. An int64 becomes a keyword of our own,
// with all that the schema says of it, and leaves a bigint; other numbers are made sure of first.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { DataValidateFunction, DataValidationCxt } from "ajv/dist/types/index.js";

interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

/** Puts the keywords below where a schema has a number: a reviver for JSON.parse. */
export function replaceNumberSchemas(key: string, schema: Schema): unknown {
  if (/^(oneOf|anyOf|not|if)$/.test(key) && JSON.stringify(schema).includes('{"int64":'))
    throw new Error(`an int64 can't be one of several types (${key})`);
  if (schema?.type !== "integer" && schema?.type !== "number") return schema;
  const { default: value, ...rest } = schema;
  const widened = schema.format === "int64" ? { int64: rest } : { allOf: [{ double: rest }, rest] };
  return value === undefined ? widened : { ...widened, default: value };
}

/** What the document may say of an int64. */
const bounds: Record<string, { holds(value: bigint, bound: never): boolean; words: string }> = {
  minimum: { holds: (value, bound: number) => value >= bound, words: ">=" },
  maximum: { holds: (value, bound: number) => value <= bound, words: "<=" },
  exclusiveMinimum: { holds: (value, bound: number) => value > bound, words: ">" },
  exclusiveMaximum: { holds: (value, bound: number) => value < bound, words: "<" },
  multipleOf: { holds: (value, bound: number) => value % BigInt(bound) === 0n, words: "a multiple of" },
  const: { holds: (value, bound: number) => value === BigInt(bound), words: "the number" },
  enum: { holds: (value, bound: number[]) => bound.some((one) => value === BigInt(one)), words: "one of" },
};
const annotations = /^(type|format|title|description|examples?|deprecated|readOnly|writeOnly|x-.*)$/;

const int64: FuncKeywordDefinition = {
  keyword: "int64",
  modifying: true,
  errors: true,
  compile(schema: Schema) {
    const checks = Object.entries(schema).flatMap(([keyword, bound]) => {
      if (annotations.test(keyword)) return [];
      const check = bounds[keyword];
      if (check === undefined) throw new Error(`unknown keyword "${keyword}" of an int64`);
      if (![bound].flat().every(Number.isSafeInteger))
        throw new Error(`${keyword} of an int64 must be an exact integer`);
      return [{ ...check, bound: bound as never }];
    });
    return checked((data, put) => {
      const value = Number.isInteger(data) ? BigInt(data as number) : data;
      if (typeof value !== "bigint" || value < least || value > most) return `an integer from ${least} to ${most}`;
      const broken = checks.find((check) => !check.holds(value, check.bound));
      put(value);
      return broken && `${broken.words} ${[broken.bound].flat().join(", ")}`;
    });
  },
};

const double: FuncKeywordDefinition = {
  keyword: "double",
  modifying: true,
  errors: true,
  compile({ type, minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema) {
    return checked((data, put) => {
      if (type === "number" && typeof data === "bigint") put(Number(data));
      const inexact = typeof data === "bigint" || (Number.isInteger(data) && !Number.isSafeInteger(data));
      return type === "integer" && inexact ? `an integer from ${minimum} to ${maximum}` : undefined;
    });
  },
};

/** The keywords, for Ajv. */
export const numberKeywords = [int64, double];

// A function as Ajv calls it, from one that says what a value must be where it is not.
function checked(check: (data: unknown, put: (value: unknown) => void) => string | undefined): DataValidateFunction {
  const validate: DataValidateFunction = (data: unknown, context?: DataValidationCxt) => {
    const must = check(data, (value) => {
      if (context) context.parentData[context.parentDataProperty] = value;
    });
    if (must) validate.errors = [{ message: `must be ${must}` }];
    return must === undefined;
  };
  return validate;
}
