// Limits of numbers (JSON Schema validation 2020-12, section 6.2). An integer that a number can't represent is a bigint.

import type { Keyword, Keywords } from "../keyword.ts";
import * as form from "../value-forms.ts";

type Numeric = number | bigint;

/** `words` complete the message "must be … LIMIT". */
function define(
  name: string,
  words: string,
  holds: (value: Numeric, limit: number) => boolean,
  isPositive = false,
): Keyword {
  return {
    form: isPositive ? form.positiveNumber : form.number,
    isBasic: true,
    compile: ({ schema }) => {
      const limit = schema[name] as number;
      return (value, run) =>
        (typeof value !== "number" && typeof value !== "bigint") || holds(value, limit) || run.fail(name, schema);
    },
    describe: (schema) => `must be ${words} ${schema[name]}`,
  };
}

const maxTolerance = 0.01;

function isMultiple(value: Numeric, divisor: number): boolean {
  if (Number.isSafeInteger(divisor) && Number.isSafeInteger(value)) return (value as number) % divisor === 0;
  if (Number.isSafeInteger(divisor)) return Number.isInteger(Number(value)) && BigInt(value) % BigInt(divisor) === 0n;
  // With a tolerance, because a decimal fraction is not exact: 4.35 / 0.01 is 434.99999999999994.
  const quotient = Number(value) / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.min(1e-12 * Math.abs(quotient), maxTolerance);
}

export const numberKeywords: Keywords = {
  minimum: define("minimum", "at least", (value, limit) => value >= limit),
  maximum: define("maximum", "at most", (value, limit) => value <= limit),
  exclusiveMinimum: define("exclusiveMinimum", "greater than", (value, limit) => value > limit),
  exclusiveMaximum: define("exclusiveMaximum", "less than", (value, limit) => value < limit),
  multipleOf: define("multipleOf", "a multiple of", isMultiple, true),
};
