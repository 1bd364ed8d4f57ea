// The text of an export, with edge cases of each field of the document.
import fc from "fast-check";
import type { Format } from "../../src/data/format.ts";
import { petFields } from "../../src/data/pet-schema.ts";
import { anyField } from "./arbitraries.ts";
import { maxInt64, maxName, statuses } from "./pets.ts";

type Value = Parameters<Format["serialize"]>[1][number];

/** Names that need escapes or quotes, or that look like null, a formula or SQL. */
const edgeCaseNames = [
  "",
  "🐕",
  ' "quoted", ',
  "=1+1",
  "a\r\nb\n",
  "\r",
  "\u2028",
  "\ufeff",
  "'; --",
  "x".repeat(maxName),
  "\t",
  '"',
  "null",
];

// The values of the fields that the interface defines, by the number of the pet.
const edgeCases: Readonly<Record<string, (n: number) => Value>> = {
  id: (n) => BigInt(n + 1),
  name: (n) => edgeCaseNames[n] ?? `Rex ${n}`,
  categoryId: (n) => (n % 2 ? BigInt(n) - maxInt64 : maxInt64 - BigInt(n)),
  status: (n) => statusOf(n) ?? null,
};

// The values of a field that a later version of the document has added.
function sampleField(field: string): (n: number) => Value {
  const values = fc.sample(fc.option(anyField(field)), { numRuns: 100, seed: 1 }) as Value[];
  return (n) => values[n % values.length] as Value;
}

/** Returns the status of the pet of a number; undefined if it has none. */
export const statusOf = (n: number) => statuses[n % statuses.length];

/** Returns the text of an export of the pets of these numbers. The id of a pet is its number + 1. */
export function exportedText(format: Format, numbers: readonly number[], fields = petFields): string {
  const columns = fields.map((field) => edgeCases[field] ?? sampleField(field));
  const pets = numbers.map((n) =>
    format.serialize(
      fields,
      columns.map((getValue) => getValue(n)),
    ),
  );
  return format.header(fields) + pets.join("");
}
