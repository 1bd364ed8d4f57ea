// The characters with which the alternatives of a regular expression can begin. If each character begins at most one of
// them, there is one way to match a text, as with `[^"\\]|\\.` for the contents of a string.
import ret, { type Set as CharacterSet, type Token } from "ret";

type Range = readonly [first: number, last: number];

const lastCodePoint = 0x10ffff;
// Any character but a surrogate, classes, escaped punctuation, and \u4e00. The tokenizer reads some other escapes differently
// than V8, such as \x7e, \cj and [\b], or one character as two.
const plain = /^(?:[^\\\ud800-\udfff]|\\(?:[dwsDWS^$\\.*+?()[\]{}|/-]|u(?!d[89a-f])[\da-f]{4}))*$/i;

/** Returns whether the tokenizer reads all characters of a regular expression, which is valid with the flag u, as V8 does. */
export function hasPlainCharacters(pattern: string): boolean {
  return plain.test(pattern);
}

/** Returns whether no two of the alternatives can begin with the same character. */
export function areExclusive(alternatives: readonly (readonly Token[])[]): boolean {
  const sets = alternatives.map(([first]) => (first === undefined ? [] : rangesOf(first)));
  return sets.every((set, index) => set.length > 0 && sets.slice(0, index).every((other) => areDisjoint(set, other)));
}

function areDisjoint(one: readonly Range[], other: readonly Range[]): boolean {
  return one.every(([first, last]) => other.every(([from, to]) => last < from || to < first));
}

// Empty if it is unknown.
function rangesOf(token: Token | CharacterSet["set"][number]): Range[] {
  switch (token.type) {
    case ret.types.CHAR:
      return [[token.value, token.value]];
    case ret.types.RANGE:
      return [[token.from, token.to]];
    case ret.types.SET: {
      const ranges = token.set.flatMap(rangesOf);
      return token.not ? complementOf(ranges) : ranges;
    }
    default:
      return [];
  }
}

function complementOf(ranges: readonly Range[]): Range[] {
  const complement: Range[] = [];
  let next = 0;
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    if (next < first) complement.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return next <= lastCodePoint ? [...complement, [next, lastCodePoint]] : complement;
}
