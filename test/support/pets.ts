// Edge cases of names and numbers for tests of NDJSON and CSV.
import { type Format, fields } from "../../src/formats.ts";

/** The largest integer of 64 bits. */
export const maxInt64 = 2n ** 63n - 1n;

/** The values of `status`; undefined for a pet without one. */
export const statuses = ["available", "pending", "sold", undefined] as const;

/** Names that need escapes or quotes, or that look like null, a formula or SQL. */
export const edgeCaseNames = [
  "",
  "🐕",
  ' "quoted", ',
  "=1+1",
  "a\r\nb\n",
  "\r",
  "\u2028",
  "\ufeff",
  "'; --",
  "x".repeat(1_000),
  "\t",
  '"',
  "null",
];

/** Returns the text of an export of `count` pets without ids. The first pets have the names above. */
export function exportedText(format: Format, count: number): string {
  const pets = Array.from({ length: count }, (_, n) =>
    format.toLine(fields.slice(1), [
      edgeCaseNames[n] ?? `Rex ${n}`,
      n % 2 ? BigInt(n) - maxInt64 : maxInt64 - BigInt(n),
      statuses[n % 4] ?? null,
    ]),
  );
  return format.head(fields.slice(1)) + pets.join("");
}
