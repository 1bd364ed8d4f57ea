// Creates texts of a format, or that match a regular expression, for the values of mock responses.
import ret, { type Set as CharacterSet, type Root, type Tokens } from "ret";
import { getOrAdd } from "../../lib/index.ts";
import { compilePattern, tokenizePattern } from "../schema/texts/regular-expressions.ts";

const samples: Readonly<Record<string, (index: number) => string>> = {
  byte: () => "dGV4dA==",
  date: (index) => `2030-${month(index)}-${day(index)}`,
  "date-time": (index) => `2030-${month(index)}-${day(index)}T12:00:00Z`,
  duration: (index) => `P${index + 1}D`,
  email: (index) => `user${index + 1}@example.com`,
  "idn-email": (index) => `user${index + 1}@example.com`,
  hostname: (index) => (index === 0 ? "example.com" : `host${index + 1}.example.com`),
  "idn-hostname": () => "example.com",
  ipv4: (index) => `192.0.2.${1 + (index % 254)}`,
  ipv6: (index) => `2001:db8::${(index + 1).toString(16)}`,
  iri: () => "https://example.com/",
  "iri-reference": () => "/path",
  int64: (index) => `${index + 1}`,
  uint64: (index) => `${index + 1}`,
  "iso-date-time": (index) => `2030-01-${day(index)}T12:00:00Z`,
  "iso-time": () => "12:00:00Z",
  "json-pointer": (index) => (index === 0 ? "/name" : `/name${index + 1}`),
  "relative-json-pointer": () => "0",
  regex: () => "^a+$",
  time: (index) => `12:${`${Math.floor(index / 60) % 60}`.padStart(2, "0")}:${`${index % 60}`.padStart(2, "0")}Z`,
  uri: (index) => `https://example.com/${index + 1}`,
  "uri-reference": (index) => `/path/${index + 1}`,
  "uri-template": () => "https://example.com/{id}",
  url: (index) => `https://example.com/${index + 1}`,
  uuid: (index) => `0b8f4d2e-6c1a-4e5b-9f3d-${index.toString(16).padStart(12, "0")}`,
};

function month(index: number): string {
  return `${1 + (Math.floor(index / 28) % 12)}`.padStart(2, "0");
}

function day(index: number): string {
  return `${1 + (index % 28)}`.padStart(2, "0");
}

/** Returns a text of a format; undefined if the format is unknown. The texts of different indexes differ if they can. */
export function exampleOfFormat(format: string | undefined, index: number): string | undefined {
  return format !== undefined && Object.hasOwn(samples, format) ? samples[format]?.(index) : undefined;
}

const tokenized = new Map<string, { readonly root: Root | undefined }>(); // as many as documents have
const maxRotations = 12; // of the characters of sets, until the text matches lookaheads as well

/**
 * Returns a text that matches a regular expression, of at least `min` and at most `max` characters if a repetition allows it. The
 * texts of different indexes differ if there are as many. Returns undefined if the expression can't be parsed. If no text was found
 * that matches, returns another. With `random`, which returns an integer from 0 to below a count, the text is random.
 */
export function exampleOfPattern(
  pattern: string,
  min: number,
  max: number,
  index = 0,
  random?: (count: number) => number,
): string | undefined {
  const { root } = getOrAdd(tokenized, pattern, () => ({ root: tokenizePattern(writeProperties(pattern)) }));
  if (root === undefined) return undefined;
  const { test } = compilePattern(pattern);
  let first: string | undefined;
  // Repetitions are as short as they may be, and longer if that is too short.
  for (let rotation = 0; rotation <= maxRotations; rotation++)
    for (const extra of [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]) {
      const progress = { groups: [], steps: 0, rotation, sets: 0, rest: random ? 0 : index, random };
      const text = write(root, extra, progress);
      if (progress.steps > maxSteps) return first ?? text;
      if (text.length < min || (progress.rest > 0 && extra < 16 && rotation === 0)) continue; // too few of them are this short
      const short = text.length > max && extra > 0 ? text.slice(0, max) : text;
      first ??= short;
      if (short.length <= max && test(short)) return short;
      if (extra > 16 || text.length > max) break;
    }
  return first ?? write(root, 0, { groups: [], steps: 0, rotation: 0, sets: 0, rest: index, random });
}

// The characters that \p{…} is replaced by, as far as they have the property.
const charactersOfScripts = `aAzZ09_ -.,$+\u00e9\u00c9\u00df\u03b1\u0391\u0436\u0416\u05d0\u0627\u3042\u30a2\u6f22\uac00\u00a7\u20ac\u2013\u2028\u0301\u00b2\u2160`;

// The tokenizer does not know \p{…}.
function writeProperties(pattern: string): string {
  let isInClass = false;
  return pattern.replace(/\\p(?:\{[^{}]*\}|[A-Z])|\\.|[[\]]/gis, (text) => {
    if (text === "[" || text === "]") isInClass = text === "[";
    if (!/^\\p/i.test(text)) return text;
    const property = compilePattern(text);
    const members = [...charactersOfScripts].filter((character) => property.test(character));
    const escaped = members.map((character) => character.replace(/[\\\]^-]/, "\\$&")).join("");
    return isInClass ? escaped : `[${escaped}]`;
  });
}

/** What was written so far. */
interface Progress {
  /** The texts of the groups, for back-references. */
  readonly groups: string[];
  steps: number;
  /** 0 for the same characters in each set. Otherwise, the sets in turn give different ones, from this one on. */
  readonly rotation: number;
  sets: number;
  /** What is left of the index: each set takes one digit of it. */
  rest: number;
  /** Selects the members of sets, instead of the index. */
  readonly random: ((count: number) => number) | undefined;
}

const maxSteps = 100_000; // beyond, nothing is written

function write(token: Tokens | Root, extra: number, progress: Progress): string {
  const { groups } = progress;
  if (++progress.steps > maxSteps) return "";
  switch (token.type) {
    case ret.types.ROOT:
    case ret.types.GROUP: {
      if (token.type === ret.types.GROUP && (token.followedBy || token.notFollowedBy)) return "";
      const { options, stack } = token;
      const { rotation } = progress;
      const start = options && rotation > 1 ? rotation - 1 + progress.sets++ : 0;
      const digit = options ? (progress.random?.(options.length) ?? progress.rest) : 0;
      const choice = options ? (start + (digit % options.length)) % options.length : 0;
      if (options) progress.rest = Math.floor(progress.rest / options.length);
      const parts = options?.[choice] ?? (stack as Tokens[]);
      const text = parts.map((part) => write(part, extra, progress)).join("");
      if (token.type === ret.types.GROUP && token.remember) groups.push(text);
      return text;
    }
    case ret.types.SET:
      return exampleOfSet(token, progress);
    case ret.types.REPETITION: {
      const count = Math.min(Math.max(token.min, Math.min(token.min + extra, token.max)), 2_000);
      const inner = token.min === token.max ? extra : 0;
      let text = "";
      for (let done = 0; done < count && progress.steps <= maxSteps; done++)
        text += write(token.value, inner, progress);
      return text;
    }
    case ret.types.REFERENCE:
      return groups[token.value - 1] ?? "";
    case ret.types.CHAR:
      return String.fromCharCode(token.value);
    default:
      return ""; // a position, such as ^
  }
}

// By preference.
const common = [
  ...new Set([..."aA0-_. /:", ...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))]),
];

function exampleOfSet(set: CharacterSet, progress: Progress): string {
  const found = common.filter((character) => isInSet(set, character.charCodeAt(0)));
  const offset = progress.rotation === 0 ? 0 : progress.rotation - 1 + progress.sets++;
  const choose = (count: number) => {
    const position = offset + ((progress.random?.(count) ?? progress.rest) % count);
    progress.rest = Math.floor(progress.rest / count);
    return position % count;
  };
  if (found.length > 0) return found[choose(found.length)] as string;
  const [first] = set.set;
  if (first?.type === ret.types.RANGE) return String.fromCodePoint(first.from + choose(first.to - first.from + 1));
  const member = set.set[choose(set.set.length)];
  return member?.type === ret.types.CHAR ? String.fromCodePoint(member.value) : "a";
}

function isInSet({ set, not }: CharacterSet, code: number): boolean {
  const isMember = set.some((member) => {
    if (member.type === ret.types.CHAR) return member.value === code;
    if (member.type === ret.types.RANGE) return member.from <= code && code <= member.to;
    return member.type === ret.types.SET && isInSet(member, code);
  });
  return isMember !== not;
}
