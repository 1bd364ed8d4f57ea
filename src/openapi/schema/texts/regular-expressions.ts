// The regular expressions of schemas. Those of V8 backtrack: on a text that a client chooses, they can take exponential time.
// RE2 takes linear time, but has neither lookaround nor backreferences, and is slower on short texts.
import { createRequire } from "node:module";
import ret, { type Group, type Root, type Token } from "ret";
import { getOrAdd } from "../../../lib/index.ts";
import { areExclusive, hasPlainCharacters } from "./character-sets.ts";
import { translatePattern } from "./foreign-patterns.ts";

// The types of the package describe an ES module, but it is CommonJS: the function is the module itself.
const tokenize = ret as unknown as (pattern: string) => Root;
// Loaded at the first use, because most documents do not need it.
const require = createRequire(import.meta.url);
const loadRe2 = () => (require("re2js") as typeof import("re2js")).RE2JS;

const maxSteps = 1_000_000; // of V8, before RE2 takes over
const maxStepsAlone = 20_000_000; // of V8, if RE2 does not know the expression; they take less than 0.2 s
const maxTextLength = 2 ** 20; // characters; of a text without maxLength
const maxStepsLinear = 30_000_000; // of RE2, which takes about a second for them

// What RE2 understands differently or not at all: named backreferences and inline flags.
const unknownToRe2 = /\\k|\(\?[a-z-]/i;
// White space of ECMA-262, of which RE2 knows only that of ASCII.
const space = "\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

const others =
  "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\u00a1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\u{10ffff}";

/** A compiled regular expression. */
export interface Pattern {
  test(text: string): boolean;
}

/**
 * Creates a regular expression of JSON Schema (ECMA-262, with the flag u). Tries again without the flag, because many
 * documents have escapes such as `\:`, which are invalid with it. Syntax of other languages is translated, if it is certain what
 * it means. Throws a SyntaxError if it is invalid.
 */
export function toRegExp(pattern: string): RegExp {
  const { source, flags } = translatePattern(pattern);
  try {
    return new RegExp(source, `u${flags}`);
  } catch {
    return new RegExp(source, flags);
  }
}

const compiled = new Map<string, Pattern>(); // as many as documents have

/**
 * Compiles a regular expression. Throws a SyntaxError if it is invalid. A text does not match if RE2 would need more than
 * about a second for it, which only happens with many thousand characters.
 */
export function compilePattern(pattern: string): Pattern {
  return getOrAdd(compiled, pattern, () => createPattern(pattern));
}

function createPattern(pattern: string): Pattern {
  const native = toRegExp(pattern);
  const root = tokenizePattern(pattern);
  const size = root === undefined ? 1 : orInfinity(() => sizeOf(root, 1));
  let linear: Pattern | undefined;
  let maxFast = -1; // the length of the longest text so far for which V8 is fast enough, and so for each shorter one
  return {
    test(text) {
      if (text.length > maxFast && countSteps(pattern, root, text.length) <= maxSteps) maxFast = text.length;
      if (text.length <= maxFast) return native.test(text);
      linear ??= compileLinear(pattern);
      if (linear === undefined) return native.test(text);
      return size * text.length <= maxStepsLinear && linear.test(text);
    },
  };
}

/**
 * Returns whether a regular expression can take exponential or polynomial time on a text of at most `maxLength` characters,
 * and RE2 does not know it.
 */
export function isSlow(pattern: string, maxLength: unknown): boolean {
  const length = typeof maxLength === "number" ? maxLength : maxTextLength;
  return countSteps(pattern, tokenizePattern(pattern), length) > maxStepsAlone && compileLinear(pattern) === undefined;
}

function compileLinear(pattern: string): Pattern | undefined {
  const { source, flags } = translatePattern(pattern);
  if (unknownToRe2.test(source)) return undefined;
  const Re2 = loadRe2();
  try {
    const translated = Re2.translateRegExp(writeClasses(source, flags.includes("s")));
    const compiled = Re2.compile(flags === "" ? translated : `(?${flags})${translated}`);
    return { test: (text) => compiled.matcher(text).find() };
  } catch {
    return undefined;
  }
}

// Writes \s, \S and the dot as the classes of ECMA-262.
function writeClasses(pattern: string, dotMatchesAll: boolean): string {
  let isInClass = false;
  return pattern.replace(/\\.|[[\].]/gs, (token) => {
    if (token === "[" || token === "]") isInClass = token === "[";
    if (token === "." && !isInClass && !dotMatchesAll) return "[^\\n\\r\\u2028\\u2029]";
    if (token === "\\s") return isInClass ? space : `[${space}]`;
    if (token !== "\\S") return token;
    return isInClass ? others : `[^${space}]`;
  });
}

/** Parses a regular expression into tokens. Returns undefined if the parser does not know its syntax. */
export function tokenizePattern(pattern: string): Root | undefined {
  const { source } = translatePattern(pattern);
  if (unknownToRe2.test(source)) return undefined;
  try {
    return tokenize(
      source.replace(/\\p\{[^{}]*\}/gi, "\\w").replace(/\\u(?:\{([\da-f]+)\}|([\da-f]{4}))/gi, toCharacter),
    );
  } catch {
    return undefined;
  }
}

// \u4e00 and \u{4e00}, which the tokenizer reads as the letter u.
function toCharacter(_: string, long: string | undefined, short: string | undefined): string {
  return String.fromCodePoint(Number.parseInt((long ?? short) as string, 16)).replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");
}

// Thousands of groups in each other are too deep for the stack.
function orInfinity(count: () => number): number {
  try {
    return count();
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

// An upper bound of the ways in which V8 tries to match a text of this length.
function countSteps(pattern: string, root: Root | undefined, length: number): number {
  const { flags } = toRegExp(pattern);
  const isPlain = hasPlainCharacters(pattern) && flags === "u"; // others change which characters are the same
  return orInfinity(() => {
    if (root === undefined || isAmbiguous(root, isPlain)) return Number.POSITIVE_INFINITY;
    const starts = branchesOf(root).every(isAnchored) ? 1 : length * sizeOf(root, 0);
    return starts * countWays(root, length);
  });
}

// The number of characters that a match tests at least, and with `optional` of 1, the number of states in RE2.
function sizeOf(token: Root | Token, optional: 0 | 1): number {
  switch (token.type) {
    case ret.types.REPETITION: {
      const count = optional && Number.isFinite(token.max) ? token.max : token.min;
      return Math.max(count, 1) * sizeOf(token.value, optional);
    }
    case ret.types.ROOT:
    case ret.types.GROUP:
      return branchesOf(token)
        .flat()
        .reduce((sum, part) => sum + sizeOf(part, optional), 1);
    default:
      return 1;
  }
}

function countWays(token: Root | Token, length: number): number {
  switch (token.type) {
    case ret.types.REPETITION:
      return Math.min(token.max - token.min + 1, Math.max(length, 1)) * countWays(token.value, length);
    case ret.types.ROOT:
    case ret.types.GROUP: {
      let sum = 0;
      for (const branch of branchesOf(token)) {
        let ways = 1;
        for (const part of branch) {
          // A lookaround is tried once for each way to get there, and adds none.
          if (isLookaround(part)) sum += ways * countWays(part, length);
          else ways *= countWays(part, length);
        }
        sum += ways;
      }
      return sum;
    }
    default:
      return 1;
  }
}

function branchesOf(token: Root | Group): readonly Token[][] {
  return token.options ?? [token.stack as Token[]];
}

function isLookaround(token: Token): token is Group {
  return token.type === ret.types.GROUP && (token.followedBy || token.notFollowedBy || token.lookBehind) === true;
}

function isNegative({ notFollowedBy, lookBehind }: Group): boolean {
  return (notFollowedBy || lookBehind) === true;
}

// Whether a branch can match only at the beginning of a text.
function isAnchored(branch: readonly Token[]): boolean {
  const [first] = branch;
  if (first?.type === ret.types.GROUP && branchesOf(first).every(isAnchored))
    return !isNegative(first) || isAnchored(branch.slice(1));
  return first?.type === ret.types.POSITION && first.value === "^";
}

// A repetition within a repetition, alternatives within one that can begin with the same character, or a backreference: there
// can be exponentially many ways to match.
function isAmbiguous(token: Root | Token, isPlain: boolean, isRepeated = false): boolean {
  switch (token.type) {
    case ret.types.REFERENCE:
      return true;
    case ret.types.REPETITION:
      if (isRepeated && token.max > token.min) return true;
      return isAmbiguous(token.value, isPlain, isRepeated || token.max > 1);
    case ret.types.ROOT:
    case ret.types.GROUP:
      if (isRepeated && branchesOf(token).length > 1 && !(isPlain && areExclusive(branchesOf(token)))) return true;
      return branchesOf(token)
        .flat()
        .some((part) => isAmbiguous(part, isPlain, isRepeated));
    default:
      return false;
  }
}
