// Creates texts of a format, or that match a regular expression, for the values of mock responses.
import ret, { type Set as CharacterSet, type Root, type Tokens } from "ret";
import { tokenizePattern } from "../schema/index.ts";

const samples: Readonly<Record<string, (index: number) => string>> = {
  byte: () => "dGV4dA==",
  date: (index) => `2030-01-${day(index)}`,
  "date-time": (index) => `2030-01-${day(index)}T12:00:00Z`,
  duration: () => "P1D",
  email: (index) => `user${index + 1}@example.com`,
  "idn-email": (index) => `user${index + 1}@example.com`,
  hostname: () => "example.com",
  "idn-hostname": () => "example.com",
  ipv4: () => "192.0.2.1",
  ipv6: () => "2001:db8::1",
  iri: () => "https://example.com/",
  "iri-reference": () => "/path",
  int64: (index) => `${index + 1}`,
  uint64: (index) => `${index + 1}`,
  "iso-date-time": (index) => `2030-01-${day(index)}T12:00:00Z`,
  "iso-time": () => "12:00:00Z",
  "json-pointer": () => "/name",
  "relative-json-pointer": () => "0",
  regex: () => "^a+$",
  time: () => "12:00:00Z",
  uri: (index) => `https://example.com/${index + 1}`,
  "uri-reference": (index) => `/path/${index + 1}`,
  "uri-template": () => "https://example.com/{id}",
  url: (index) => `https://example.com/${index + 1}`,
  uuid: (index) => `0b8f4d2e-6c1a-4e5b-9f3d-${index.toString(16).padStart(12, "0")}`,
};

function day(index: number): string {
  return `${1 + (index % 28)}`.padStart(2, "0");
}

/** Returns a text of a format; undefined if the format is unknown. The texts of different indexes differ if they can. */
export function sampleFormat(format: string | undefined, index: number): string | undefined {
  return format !== undefined && Object.hasOwn(samples, format) ? samples[format]?.(index) : undefined;
}

/**
 * Returns a text that matches a regular expression without assertions, of at least `min` and at most `max` characters if a
 * repetition allows it. Returns undefined if the expression can't be parsed.
 */
export function samplePattern(pattern: string, min: number, max: number): string | undefined {
  const root = tokenizePattern(pattern);
  if (root === undefined) return undefined;
  // Repetitions are as short as they may be, and longer if that is too short.
  for (const extra of [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]) {
    const text = write(root, extra, { groups: [], steps: 0 });
    if (text.length >= min) return text.length > max && extra > 0 ? text.slice(0, max) : text;
  }
  return write(root, 0, { groups: [], steps: 0 });
}

/** What was written so far. */
interface Progress {
  /** The texts of the groups, for back-references. */
  readonly groups: string[];
  steps: number;
}

const maxSteps = 100_000; // beyond, nothing is written

function write(token: Tokens | Root, extra: number, progress: Progress): string {
  const { groups } = progress;
  if (++progress.steps > maxSteps) return "";
  switch (token.type) {
    case ret.types.ROOT:
    case ret.types.GROUP: {
      if (token.type === ret.types.GROUP && (token.followedBy || token.notFollowedBy)) return "";
      const parts = token.options?.[0] ?? (token.stack as Tokens[]);
      const text = parts.map((part) => write(part, extra, progress)).join("");
      if (token.type === ret.types.GROUP && token.remember) groups.push(text);
      return text;
    }
    case ret.types.SET:
      return sampleSet(token);
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

const common = [..."aA0-_. /:", ...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))];

function sampleSet(set: CharacterSet): string {
  const found = common.find((character) => isInSet(set, character.charCodeAt(0)));
  if (found !== undefined) return found;
  const [first] = set.set;
  if (first?.type === ret.types.RANGE) return String.fromCharCode(first.from);
  return first?.type === ret.types.CHAR ? String.fromCharCode(first.value) : "a";
}

function isInSet({ set, not }: CharacterSet, code: number): boolean {
  const isMember = set.some((member) => {
    if (member.type === ret.types.CHAR) return member.value === code;
    if (member.type === ret.types.RANGE) return member.from <= code && code <= member.to;
    return member.type === ret.types.SET && isInSet(member, code);
  });
  return isMember !== not;
}
