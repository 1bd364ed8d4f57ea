// Integers: the ranges of their formats (the format registry of OpenAPI), and the conversion of int64 and uint64, which become a
// bigint. The JSON parser returns a bigint only for an integer that a number can't represent.
import type { SchemaObject } from "../../source/document-types.ts";
import type { Evaluation } from "../evaluation.ts";

/** Returns whether a value has a type, whatever its other requirements are. */
export type Test = (value: unknown) => boolean;

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const ranges: ReadonlyMap<unknown, Range> = new Map(
  [8n, 16n, 32n, 64n].flatMap((bits) => [
    [`int${bits}`, { min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n }],
    [`uint${bits}`, { min: 0n, max: 2n ** bits - 1n }],
  ]),
);

/** The names of the formats of integers. */
export const integerFormats = [...ranges.keys()] as readonly string[];

const safeRange: Range = { min: BigInt(Number.MIN_SAFE_INTEGER), max: BigInt(Number.MAX_SAFE_INTEGER) };

/** Returns the types of a schema; none if it allows all. */
export function typesOf({ type = [] }: SchemaObject): readonly string[] {
  return [type].flat() as string[];
}

export function is64Bit(format: unknown): boolean {
  return format === "int64" || format === "uint64";
}

/** Returns whether a schema describes an integer that is a bigint in TypeScript. */
export function isInt64(schema: SchemaObject): boolean {
  return is64Bit(schema.format) && typesOf(schema).includes("integer");
}

/** Makes an integer of the value that is being evaluated a bigint. */
export function convertInt64(value: unknown, run: Evaluation): void {
  if (run.changes && isInteger(value)) run.replace(BigInt(value as number | bigint));
}

/** Returns whether an integer beyond 2^53 is allowed: only if the limits of the schema say so, because its type is a number. */
export function hasLargeLimit({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, format }: SchemaObject): boolean {
  const limits = [minimum, maximum, exclusiveMinimum, exclusiveMaximum];
  return (
    format === undefined && limits.some((limit) => typeof limit === "bigint" || Math.abs(Number(limit ?? 0)) > 2 ** 53)
  );
}

/** Returns whether a number represents an integer exactly. */
export function isExact(value: unknown): boolean {
  return typeof value !== "bigint" || BigInt(Number(value)) === value;
}

export const isInteger: Test = (value) => typeof value === "bigint" || Number.isInteger(value);

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

/** Describes the range of the integers of a schema: its limits, or else those of its format. */
export function limitsOf({ format, minimum, exclusiveMinimum, maximum, exclusiveMaximum }: SchemaObject): string {
  const { min, max } = ranges.get(format) ?? safeRange;
  const least = stricter(minimum, exclusiveMinimum, 1) ?? min;
  return `from ${least} to ${stricter(maximum, exclusiveMaximum, -1) ?? max}`;
}

// The stricter of a limit and the integer behind an exclusive one.
function stricter(limit: unknown, exclusive: unknown, step: 1 | -1): unknown {
  const next = Number.isSafeInteger(exclusive) ? (exclusive as number) + step : undefined;
  return limit === undefined || (Number(next) - Number(limit)) * step > 0 ? next : limit;
}
