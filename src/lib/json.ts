// JSON with exact integers. JSON.parse reads every number as a double, which rounds integers beyond 2^53. Here, an
// integer that a double can't represent exactly is a bigint.
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
 * Parses JSON text (RFC 8259). Integers are exact, also in the forms 1.0 and 1e2. Throws an InvalidValue if the text is
 * not JSON, or if other parsers may read it differently (RFC 7493, sections 2.1 to 2.3): it has a lone surrogate, an
 * object with the same name twice, a number that is too large for a double, or a fraction that a double rounds to an integer.
 */
export function parseJson(text: string): unknown {
  try {
    return parseStrictly(text);
  } catch (error) {
    // A RangeError means that the nesting exceeds the stack of JSON.parse.
    const reason = error instanceof SyntaxError ? error.message : "it is nested too deeply";
    throw new InvalidValue(`is not valid JSON: ${reason}`);
  }
}

function parseStrictly(text: string): unknown {
  let visited = 0;
  const value = JSON.parse(text, function (this: unknown, key: string, value: unknown, context: { source?: string }) {
    if (!Array.isArray(this)) visited += 1;
    return revive(key, value, context);
  } as Reviver);
  // The reviver visits each name of an object once, and the root. If the text has more names, one of them is repeated.
  const written = text.match(/[^"]*"(?:[^"\\]|\\.)*"\s*:?/gy)?.filter((string) => string.endsWith(":")).length ?? 0;
  if (written !== visited - 1) throw new SyntaxError("an object has the same name twice");
  return value;
}

// TypeScript 5 does not declare the third argument of a reviver, which has the source text of a number.
type Reviver = (key: string, value: unknown) => unknown;

function revive(key: string, value: unknown, context: { source?: string }): unknown {
  if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed()))
    throw new SyntaxError("a string has a lone surrogate, which is not Unicode");
  return typeof value === "number" ? toExactNumber(context.source as string, value) : value;
}

type NumberParts = [text: string, sign: string, whole: string, fraction?: string, exponent?: string];

// A number with more digits than a uint64 stays a double, so that 1e300 costs nothing.
function toExactNumber(source: string, value: number): unknown {
  if (!Number.isFinite(value)) throw new SyntaxError(`the number ${shorten(source)} is too large`);
  if (Number.isSafeInteger(value) && !/[.eE]/.test(source)) return value;
  const [, sign, whole, fraction = "", exponent = "0"] = numberPattern.exec(source) as unknown as NumberParts;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  let end = digits.length; // not the pattern /0+$/, which takes quadratic time on 1000…0001
  while (digits[end - 1] === "0") end -= 1;
  const significant = digits.slice(0, end);
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  if (significant === "") return 0;
  if (zeros < 0 && !Number.isInteger(value)) return value;
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

// TypeScript 5 does not declare JSON.rawJSON.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

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
