// What names mean, as most documents use them: the other files here have a table for each question. A row has the names in snake case,
// what they mean, and who writes so. The first row that matches applies; another style is another row.
import { toSnakeCase } from "../../lib/index.ts";

/** Names, what they mean, and an API or a framework that uses them. */
export type Row<Meaning> = readonly [names: RegExp, means: Meaning, usedBy: string];

/** Returns the singular of a word: `companies` is `company`. */
export function singularOf(word: string): string {
  if (/(ss|us|series|species|news)$/.test(word)) return word;
  return /(movies|cookies)$/.test(word) ? word.slice(0, -1) : word.replace(/ies$/, "y").replace(/s$/, "");
}

/** Returns what can be the plural of a word: `categories` of `category`. */
export function pluralsOf(word: string): readonly string[] {
  return [`${word}s`, `${word}es`, word.replace(/y$/, "ies")];
}

/** Returns what a name means, in any case; undefined if no row has it. */
export function meaningOf<Meaning>(rows: readonly Row<Meaning>[], name: string): Meaning | undefined {
  const words = toSnakeCase(name);
  return rows.find(([names]) => names.test(words))?.[1];
}
