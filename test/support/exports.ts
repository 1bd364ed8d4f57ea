// The text of an export, with edge cases of each field of the document.
import fc from "fast-check";
import type { Format } from "../../src/data/formats/format.ts";
import { toJson } from "../../src/lib/json.ts";
import { anyField } from "./arbitraries.ts";
import { maxInt64, maxName, petCollection, petResource, statuses } from "./pets.ts";

type Value = string | bigint | undefined;

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
  status: (n) => statusOf(n),
};

// The values of a field that a later version of the document has added.
function sampleField(field: string): (n: number) => Value {
  const values = fc.sample(fc.option(anyField(field), { nil: undefined }), { numRuns: 100, seed: 1 }) as Value[];
  return (n) => values[n % values.length] as Value;
}

/** Returns the status of the pet of a number; undefined if it has none. */
export const statusOf = (n: number) => statuses[n % statuses.length];

/** Returns the text of an export of the pets of these numbers. The id of a pet is its number + 1. */
export function exportedText(format: Format, numbers: readonly number[], withoutIds = false): string {
  const { properties } = petCollection;
  const layout = { collection: petCollection, withoutIds, places: [], toCell: petResource.record.createCellWriter() };
  const pets = numbers.map((n) => {
    const values = properties.map((field) => [field, (edgeCases[field] ?? sampleField(field))(n)]);
    return format.serialize(layout, { text: toJson(Object.fromEntries(values)), places: {} });
  });
  return format.header(layout) + pets.join("");
}
