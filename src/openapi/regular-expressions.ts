// The regular expressions of schemas. Those of V8 can take exponential time on a text that a client chooses. RE2 takes linear
// time, but has neither lookaround nor backreferences, and is slower on short texts.
import { createRequire } from "node:module";
import ret, { type Root, type Token } from "ret";

// The types of the package describe an ES module, but it is CommonJS: the function is the module itself.
const tokenize = ret as unknown as (pattern: string) => Root;
// Loaded at the first use, because most documents do not need it.
const require = createRequire(import.meta.url);
const loadRe2 = () => (require("re2js") as typeof import("re2js")).RE2JS;

const maxLength = 256; // characters; adjacent repetitions such as a*a*a* still take polynomial time

/** A compiled regular expression. */
export interface Pattern {
  test(text: string): boolean;
  /** Returns the expression. Ajv tells patterns apart by it. */
  toString(): string;
}

/** Compiles a regular expression of JSON Schema (ECMA-262, with the flag u). Throws a SyntaxError if it is invalid. */
export function compilePattern(pattern: string): Pattern {
  const native = new RegExp(pattern, "u");
  let linear: Pattern | undefined;
  const isNested = hasNestedRepetition(pattern);
  return {
    toString: () => pattern,
    test(text) {
      if (!isNested && text.length <= maxLength) return native.test(text);
      linear ??= compileLinear(pattern) ?? native;
      return linear.test(text);
    },
  };
}

/** Returns whether a regular expression can take exponential time, and RE2 does not know it. */
export function isExponential(pattern: string): boolean {
  return hasNestedRepetition(pattern) && compileLinear(pattern) === undefined;
}

function compileLinear(pattern: string): Pattern | undefined {
  const Re2 = loadRe2();
  try {
    const compiled = Re2.compile(Re2.translateRegExp(pattern));
    return { test: (text) => compiled.matcher(text).find() };
  } catch {
    return undefined;
  }
}

/** Parses a regular expression into tokens. Returns undefined if the parser does not know its syntax. */
export function tokenizePattern(pattern: string): Root | undefined {
  try {
    return tokenize(
      pattern.replace(/\\p\{[^{}]*\}/gi, "\\w").replace(/\\u(?:\{([\da-f]+)\}|([\da-f]{4}))/gi, toCharacter),
    );
  } catch {
    return undefined;
  }
}

// \u4e00 and \u{4e00}, which the tokenizer reads as the letter u.
function toCharacter(_: string, long: string | undefined, short: string | undefined): string {
  return String.fromCodePoint(Number.parseInt((long ?? short) as string, 16)).replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");
}

// A repetition or an alternative within a repetition, or a backreference: there can be exponentially many ways to match.
function hasNestedRepetition(pattern: string): boolean {
  const root = tokenizePattern(pattern);
  return root === undefined || isAmbiguous(root, false);
}

function isAmbiguous(token: Root | Token, isRepeated: boolean): boolean {
  switch (token.type) {
    case ret.types.REFERENCE:
      return true;
    case ret.types.REPETITION:
      if (isRepeated && token.max > token.min) return true;
      return isAmbiguous(token.value, isRepeated || token.max > 1);
    case ret.types.ROOT:
    case ret.types.GROUP:
      if (isRepeated && (token.options?.length ?? 0) > 1) return true;
      return (token.options ?? [token.stack as Token[]]).flat().some((part) => isAmbiguous(part, isRepeated));
    default:
      return false;
  }
}
