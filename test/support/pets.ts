// Pets with names and numbers that formats often get wrong.
import { type Format, fields } from "../../src/formats.ts";

/** The largest integer of 64 bits. */
export const maxInt64 = 2n ** 63n - 1n;

/** The values of `status`, with undefined for a pet without one. */
export const statuses = ["available", "pending", "sold", undefined] as const;

/** Names that need escapes or quotes, or that look like something else. */
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

/** Returns the text of an export without ids: pets with the names above, then as many others as make up `count`. */
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
