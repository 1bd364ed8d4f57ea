// Exact numbers in schemas. Ajv supports only JavaScript numbers, which round beyond 2^53. The JSON parser (src/lib)
// returns larger integers as bigint, so numeric schemas become custom keywords that accept both.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { DataValidateFunction, DataValidationCxt } from "ajv/dist/types/index.js";

interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/**
 * Replaces numeric schemas by the keywords below: a reviver for JSON.parse. Throws an Error if an int64 is one of
 * several alternatives, because the keyword changes the value that the next alternative would see.
 */
export function replaceNumberSchemas(key: string, schema: Schema): unknown {
  if (/^(oneOf|anyOf|not|if)$/.test(key) && JSON.stringify(schema).includes('{"int64":'))
    throw new Error(`an int64 can't be one of several types (${key})`);
  if (schema?.type !== "integer" && schema?.type !== "number") return schema;
  const { default: value, ...rest } = schema;
  const replaced = schema.format === "int64" ? { int64: rest } : { allOf: [{ double: rest }, rest] };
  return value === undefined ? replaced : { ...replaced, default: value };
}

interface Constraint {
  holds(value: bigint, limit: never): boolean;
  /** Completes the message "must be … LIMIT". */
  readonly words: string;
}

/** The keywords that the schema of an int64 may have. */
const constraints: Readonly<Record<string, Constraint>> = {
  minimum: { holds: (value, limit: number) => value >= limit, words: "at least" },
  maximum: { holds: (value, limit: number) => value <= limit, words: "at most" },
  exclusiveMinimum: { holds: (value, limit: number) => value > limit, words: "greater than" },
  exclusiveMaximum: { holds: (value, limit: number) => value < limit, words: "less than" },
  multipleOf: { holds: (value, divisor: number) => value % BigInt(divisor) === 0n, words: "a multiple of" },
  const: { holds: (value, allowed: number) => value === BigInt(allowed), words: "equal to" },
  enum: { holds: (value, allowed: number[]) => allowed.some((one) => value === BigInt(one)), words: "one of:" },
};
const annotations = /^(type|format|title|description|examples?|deprecated|readOnly|writeOnly|x-.*)$/;

// Converts the value to bigint.
const int64: FuncKeywordDefinition = {
  keyword: "int64",
  modifying: true,
  errors: true,
  compile(schema: Schema) {
    const checks = Object.entries(schema)
      .filter(([keyword]) => !annotations.test(keyword))
      .map(([keyword, limit]) => {
        const constraint = constraints[keyword];
        if (constraint === undefined) throw new Error(`unknown keyword "${keyword}" of an int64`);
        if (![limit].flat().every(Number.isSafeInteger))
          throw new Error(`${keyword} of an int64 must be an exact integer`);
        return { ...constraint, limit: limit as never };
      });
    return createValidate((data, replace) => {
      const value = Number.isInteger(data) ? BigInt(data as number) : data;
      if (typeof value !== "bigint" || value < minInt64 || value > maxInt64)
        return `an integer from ${minInt64} to ${maxInt64}`;
      const violated = checks.find(({ holds, limit }) => !holds(value, limit));
      replace(value);
      return violated && `${violated.words} ${[violated.limit].flat().join(", ")}`;
    });
  },
};

// Rejects integers that a double can't represent exactly, and converts bigint to double for `number`.
const double: FuncKeywordDefinition = {
  keyword: "double",
  modifying: true,
  errors: true,
  compile({ type, minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema) {
    return createValidate((data, replace) => {
      if (type === "number" && typeof data === "bigint") replace(Number(data));
      const isInexact = typeof data === "bigint" || (Number.isInteger(data) && !Number.isSafeInteger(data));
      return type === "integer" && isInexact ? `an integer from ${minimum} to ${maximum}` : undefined;
    });
  },
};

/** The custom keywords, to be added to Ajv. */
export const numberKeywords = [int64, double];

/** Creates Ajv's function from one that returns the requirement that the value violates ("must be …"), if any. */
function createValidate(
  check: (data: unknown, replace: (value: unknown) => void) => string | undefined,
): DataValidateFunction {
  const validate: DataValidateFunction = (data: unknown, context?: DataValidationCxt) => {
    const requirement = check(data, (value) => {
      if (context) context.parentData[context.parentDataProperty] = value;
    });
    if (requirement) validate.errors = [{ message: `must be ${requirement}` }];
    return requirement === undefined;
  };
  return validate;
}
