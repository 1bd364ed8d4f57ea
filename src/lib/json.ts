// JSON with exact integers. JSON.parse reads every number as a double, which rounds integers beyond 2^53. Here, an
// integer that a double can't represent exactly is a bigint.
import { randomBytes } from "node:crypto";
import { InvalidValue } from "./problem.ts";
import { shorten } from "./redaction.ts";

const maxDigits = 20; // of a uint64
const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Parses decimal digits, also with a minus sign. Returns a bigint if a number can't represent the integer exactly. */
export function parseInteger(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8, and keeps a byte order mark. Throws an InvalidValue if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InvalidValue("must be encoded in UTF-8");
  }
}

/** Decodes and parses JSON in UTF-8, without a byte order mark. Throws an InvalidValue like `parseJson`. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  if (text.startsWith("\ufeff")) throw new InvalidValue("must not begin with a byte order mark");
  return parseJson(text);
}

/**
 * Parses JSON text (RFC 8259). Integers are exact, also in the forms 1.0 and 1e2. Throws an InvalidValue if the text is not
 * JSON, is nested more than `levels` deep, by default 1,000, or is one that other parsers may read differently (RFC 7493, sections 2.1 to
 * 2.3): with a lone surrogate, an object with the same name twice, a number that is too large for a double, or a fraction that
 * a double rounds to an integer.
 */
export function parseJson(text: string, levels = maxDepth): unknown {
  try {
    return parseStrictly(text, levels);
  } catch (error) {
    throw error instanceof SyntaxError ? new InvalidValue(`is not valid JSON: ${error.message}`) : error;
  }
}

function parseStrictly(text: string, levels: number): unknown {
  const { names, numbers, hasSurrogates } = scan(text, levels);
  const parsed: unknown = numbers.length === 0 ? JSON.parse(text) : parseMarked(text, numbers);
  const holder = [parsed];
  if (names > 0 && countNames(holder) < names) throw new SyntaxError("an object has the same name twice");
  if (numbers.length > 0 || hasSurrogates || !text.isWellFormed()) restore(holder);
  return holder[0];
}

/** What a JSON text has outside of its strings. */
interface Scan {
  /** The number of names of objects. */
  readonly names: number;
  /** The ranges of numbers that a double may not represent. */
  readonly numbers: readonly (readonly [start: number, end: number])[];
  /** Whether a string has an escaped surrogate. */
  readonly hasSurrogates: boolean;
}

const maxDepth = 1_000; // levels of arrays and objects; all that reads the value later needs the stack
const maxShort = 15; // characters of a number that a double represents exactly
const surrogate = /u[dD][89a-fA-F]/y;

// A loop over the characters, because a regular expression takes five times as long. The text can be invalid: JSON.parse then
// reports the error.
function scan(text: string, levels: number): Scan {
  const numbers: [number, number][] = [];
  let names = 0;
  let hasSurrogates = false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === 0x3a /* : */) names += 1;
    else if (character === 0x22 /* " */)
      for (index += 1; index < text.length; index++) {
        const inner = text.charCodeAt(index);
        if (inner === 0x22) break;
        if (inner !== 0x5c /* \ */) continue;
        index += 1;
        surrogate.lastIndex = index;
        hasSurrogates ||= surrogate.test(text);
      }
    else if (character === 0x2d /* - */ || (character >= 0x30 && character <= 0x39) /* 0 to 9 */) {
      const start = index;
      let hasExponent = false;
      for (let part = character; isNumberPart(part); part = text.charCodeAt(++index)) hasExponent ||= part > 0x39;
      if ((hasExponent || index - start > maxShort) && isRounded(text.slice(start, index)))
        numbers.push([start, index]);
      index -= 1;
    } else if (character === 0x5b /* [ */ || character === 0x7b /* { */) {
      depth += 1;
      if (depth > levels) throw new SyntaxError(`it is nested more than ${levels} levels deep`);
    } else if (character === 0x5d /* ] */ || character === 0x7d /* } */) depth -= 1;
  }
  return { names, numbers, hasSurrogates };
}

// Whether a number with an exponent, or a long one, may have become another integer, or infinite. Two decimal numbers of at most
// 15 digits are never the same double, unless they are too small.
function isRounded(source: string): boolean {
  const value = Number(source);
  if (source.length <= maxShort && value !== 0 && Math.abs(value) < 1e15) return false;
  return !Number.isFinite(value) || Number.isInteger(value);
}

// A digit, a sign, a point, or the letter of an exponent.
function isNumberPart(character: number): boolean {
  if (character <= 0x39) return character >= 0x2b && character !== 0x2c && character !== 0x2f;
  return character === 0x65 || character === 0x45;
}

// The beginning of the strings that stand for numbers: no client can guess it.
const marker = `${randomBytes(9).toString("base64")} `;
const numberToken = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const afterName = /[\t\n\r ]*:/y;

// Parses a text in which numbers are replaced by strings. JSON.parse tells the text of a number only to a reviver, with which it
// takes a hundred times as long. An invalid text must not become a valid one, and its error is that of JSON.parse.
function parseMarked(text: string, numbers: Scan["numbers"]): unknown {
  const parts: string[] = [];
  let end = 0;
  for (const [start, next] of numbers) {
    const source = text.slice(start, next);
    afterName.lastIndex = next;
    if (!numberToken.test(source) || afterName.test(text)) return JSON.parse(text);
    parts.push(text.slice(end, start), '"', marker, source, '"');
    end = next;
  }
  try {
    return JSON.parse(parts.join("") + text.slice(end));
  } catch {
    return JSON.parse(text);
  }
}

/** Returns whether a value has more levels of arrays and objects than `parseJson` accepts. */
export function isTooDeep(value: unknown, levels = maxDepth): boolean {
  return hasMembers(value) && (levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1)));
}

// Returns how many names all objects below a value have.
function countNames(root: object): number {
  let names = 0;
  const waiting = [root];
  for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop())
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index++) if (hasMembers(holder[index])) waiting.push(holder[index]);
    } else
      for (const name in holder) {
        names += 1;
        const member = (holder as Record<string, unknown>)[name];
        if (hasMembers(member)) waiting.push(member);
      }
  return names;
}

// Whether it is an object or an array.
function hasMembers(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns whether a value is an object of JSON, and no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return hasMembers(value) && !Array.isArray(value);
}

// Replaces the strings that stand for numbers. Throws a SyntaxError for a lone surrogate.
function restore(root: object): void {
  const waiting = [root];
  const restoreMember = (holder: object, key: string | number, value: unknown) => {
    if (hasMembers(value)) waiting.push(value);
    else if (typeof value !== "string") return;
    else if (value.startsWith(marker)) setOwn(holder, key, toExactNumber(value.slice(marker.length)));
    else checkText(value);
  };
  for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop())
    if (Array.isArray(holder))
      for (let index = 0; index < holder.length; index++) restoreMember(holder, index, holder[index]);
    else
      for (const name in holder) {
        checkText(name);
        restoreMember(holder, name, (holder as Record<string, unknown>)[name]);
      }
}

/** Sets a member, also `__proto__`, which an assignment would not set. */
export function setOwn(holder: object, key: string | number, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true });
  else (holder as Record<string | number, unknown>)[key] = value;
}

function checkText(text: string): void {
  if (!text.isWellFormed()) throw new SyntaxError("a string has a lone surrogate, which is not Unicode");
}

type NumberParts = [text: string, sign: string, whole: string, fraction?: string, exponent?: string];

// A number with more digits than a uint64 stays a double, so that 1e300 costs nothing.
function toExactNumber(source: string): unknown {
  const value = Number(source);
  if (!Number.isFinite(value)) throw new SyntaxError(`the number ${shorten(source)} is too large`);
  if (Number.isSafeInteger(value) && !/[.eE]/.test(source)) return value;
  if (source.length <= maxDigits && !/[.eE]/.test(source)) return parseInteger(source);
  const [, sign, whole, fraction = "", exponent = "0"] = numberPattern.exec(source) as unknown as NumberParts;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  let end = digits.length; // not the pattern /0+$/, which takes quadratic time on 1000…0001
  while (digits[end - 1] === "0") end -= 1;
  const significant = digits.slice(0, end);
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  if (significant === "") return 0;
  if (zeros < 0) throw new SyntaxError(`the number ${shorten(source)} can't be represented exactly`);
  return significant.length + zeros > maxDigits ? value : parseInteger(sign + significant + "0".repeat(zeros));
}

/**
 * Serializes a value so that equal values have equal texts, whatever the order of their fields. A bigint becomes a
 * string such as "5n".
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return `${part}n`;
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** JSON.rawJSON, which TypeScript 5 does not declare: JSON.stringify writes its text as it is. */
export const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Serializes a value as JSON, with each bigint as an exact integer. `indent` is the number of spaces per level. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? rawJSON(`${part}`) : part), indent);
}

/** The JSON text of a value of type T. A response sends it unchanged. */
export class RawJson<T> {
  /** Only for the compiler: a `RawJson<Date>` is not a `RawJson<Map>`. */
  declare readonly type: T;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
