// JSON with exact integers. JSON.parse reads every number as a double and so rounds beyond 2^53;
// here no integer is rounded: one that a double can't hold exactly is a bigint.

const literal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The value of decimal digits: a number where it holds the integer exactly, else a bigint. */
export function integer(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

/**
 * Parses JSON text (RFC 8259) with exact integers, also those written as 1.0 or 1e2. Throws a
 * SyntaxError where it is not JSON, or would be read differently by others (RFC 7493, section 2):
 * half of a surrogate pair, which no UTF-8 can hold, or a name that an object has twice.
 */
export function parseJson(text: string): unknown {
  let names = 0;
  const value = JSON.parse(text, function (this: unknown, key: string, value: unknown, context: { source?: string }) {
    if (!Array.isArray(this)) names += 1;
    return exact(key, value, context);
  } as Reviver);
  // Each name in the text is visited once, and the root besides: a name that was lost was there twice.
  const written = text.match(/"(?:[^"\\]|\\.)*"\s*:?/g)?.filter((string) => string.endsWith(":")).length ?? 0;
  if (written !== names - 1) throw new SyntaxError("it has an object with the same name twice");
  return value;
}

// TypeScript 5 does not know the reviver's third argument, which holds the source text of a number.
type Reviver = (key: string, value: unknown) => unknown;

function exact(key: string, value: unknown, context: { source?: string }): unknown {
  if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed()))
    throw new SyntaxError("it has half of a surrogate pair, which is not Unicode");
  return typeof value === "number" ? exactNumber(context.source as string, value) : value;
}

type Literal = [text: string, sign: string, whole: string, fraction?: string, exponent?: string];

// An int64 has at most 19 digits: what is longer stays a double, too large for any int64, so that
// 1e1000000 costs nothing.
function exactNumber(source: string, value: number): unknown {
  if (Number.isSafeInteger(value) && !/[.eE]/.test(source)) return value;
  const [, sign, whole, fraction = "", exponent = "0"] = literal.exec(source) as unknown as Literal;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  let end = digits.length; // not /0+$/, which is quadratic on 1000…0001
  while (digits[end - 1] === "0") end -= 1;
  const significant = digits.slice(0, end);
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  if (significant === "") return 0;
  if (zeros < 0 && !Number.isInteger(value)) return value;
  if (zeros < 0) throw new SyntaxError(`the number ${source.slice(0, 40)} can't be held exactly`);
  return significant.length + zeros > 19 ? value : integer(sign + significant + "0".repeat(zeros));
}

/** JSON text that is the same for the same value, whatever the order of its fields. A bigint is a text of its own. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return `${part}n`;
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort());
  });
}

// TypeScript 5 does not know it.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** The value as JSON text; a bigint is an integer there, and exact. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? rawJSON(`${part}`) : part), indent);
}
