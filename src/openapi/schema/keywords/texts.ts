// Lengths and patterns of strings (JSON Schema validation 2020-12, section 6.3).

import type { Keyword, Keywords } from "../keyword.ts";
import { compilePattern } from "../texts/regular-expressions.ts";
import * as form from "../value-forms.ts";
import { countOf } from "../wording.ts";

/** `words` complete the message "must have … LIMIT characters". */
function defineLength(name: string, words: string, holds: (text: string, limit: number) => boolean): Keyword {
  return {
    form: form.count,
    isBasic: true,
    compile: ({ schema }) => {
      const limit = Number(schema[name]);
      return (value, run) => typeof value !== "string" || holds(value, limit) || run.fail(name, schema);
    },
    describe: (schema) => `must have ${words} ${countOf(schema[name], "character")}`,
  };
}

// A character beyond U+FFFF has a length of 2.
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const pattern: Keyword = {
  form: form.pattern,
  isBasic: true,
  compile: ({ schema }) => {
    const compiled = compilePattern(schema.pattern as string);
    return (value, run) => typeof value !== "string" || compiled.test(value) || run.fail("pattern", schema);
  },
  describe: ({ pattern, title }) =>
    title === undefined ? `must match the regular expression ${pattern}` : `must be ${title}`,
};

export const textKeywords: Keywords = {
  minLength: defineLength("minLength", "at least", (text, limit) => {
    return text.length >= limit && (text.length >= 2 * limit || countCharacters(text) >= limit);
  }),
  maxLength: defineLength("maxLength", "at most", (text, limit) => {
    return text.length <= limit || (text.length <= 2 * limit && countCharacters(text) <= limit);
  }),
  pattern,
};
