// Creates values from schemas, for mock responses. Not openapi-sampler, whose values are often not valid: it ignores
// patterns, unevaluated properties, and alternatives that exclude each other.
import type { SchemaNode } from "../schema/node.ts";
import { ExampleBuilder, maxCost } from "./example-builder.ts";
import type { ExampleOptions, Variant } from "./example-options.ts";

const maxRandomCost = 5_000;

const variants: readonly Variant[] = [
  { hasExamples: true, isFull: true, choice: 0 },
  { hasExamples: false, isFull: true, choice: 0 },
  { hasExamples: true, isFull: false, choice: 0 },
  { hasExamples: false, isFull: false, choice: 0 },
  ...[1, 2, 3, 4, 5].map((choice) => ({ hasExamples: false, isFull: false, choice })),
];

/** Creates a value from a schema. Returns the first that `isValid` accepts, or else any. */
export function createExample(
  node: SchemaNode,
  isValid: (value: unknown) => boolean,
  options: ExampleOptions = {},
): unknown {
  const { source } = options;
  const values: unknown[] = [];
  const random = source ? [0, 1, 2, 3, 4].map((choice) => ({ hasExamples: false, isFull: true, choice, source })) : [];
  for (const variant of [...random, ...variants]) {
    const cost = { left: source ? maxRandomCost : maxCost };
    const value = new ExampleBuilder(variant, cost, options).create(node);
    if (isValid(value)) return value;
    values.push(value);
  }
  return values[0];
}
