// int64 in a schema: a bigint, exact over its range. Ajv knows only JavaScript's numbers, which round
// beyond 2^53, so `type: integer, format: int64` becomes a keyword of our own with all that the
// schema says of it.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";

interface Schema {
  readonly type?: string;
  readonly [keyword: string]: unknown;
}

/** Puts the keyword in the place of every int64: a reviver for JSON.parse of a schema. */
export function widen(_: string, schema: Schema): unknown {
  if (schema?.type !== "integer" || schema.format !== "int64") return schema;
  const { default: value, ...int64 } = schema;
  return value === undefined ? { int64 } : { int64, default: value };
}

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

/** The keyword. It takes a number or a bigint (src/json.ts) and leaves a bigint. Throws on a keyword that it can't enforce. */
export const int64: FuncKeywordDefinition = {
  keyword: "int64",
  schemaType: "object",
  modifying: true,
  errors: true,
  compile(schema: Schema) {
    const checks = Object.entries(schema).flatMap(([keyword, bound]) => {
      if (annotations.test(keyword)) return [];
      const check = bounds[keyword];
      if (check === undefined) throw new Error(`unknown keyword "${keyword}" of an int64`);
      return [{ ...check, bound: bound as never }];
    });
    return function validate(data: unknown, context) {
      const value = Number.isInteger(data) ? BigInt(data as number) : data;
      const complain = (words: string) => {
        (validate as { errors?: unknown }).errors = [{ keyword: "int64", message: `must be ${words}` }];
        return false;
      };
      if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value)
        return complain(
          `an integer from ${-(2n ** 63n)} to ${2n ** 63n - 1n}${typeof data === "string" ? ", in decimal digits" : ""}`,
        );
      const broken = checks.find((check) => !check.holds(value, check.bound));
      if (broken) return complain(`${broken.words} ${[broken.bound].flat().join(", ")}`);
      if (context) context.parentData[context.parentDataProperty] = value;
      return true;
    };
  },
};
