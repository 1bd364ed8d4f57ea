// JSON with int64 as bigint. JSON.parse and JSON.stringify alone would round integers beyond 2^53, or throw. Without
// JSON.rawJSON and the source text of a reviver, which Node 20 does not have.

// Marks the text of a number in a string. Random, so that no other string begins with it.
const mark = `int64:${Math.random().toString(36).slice(2)}:`;
// Sticky: a token begins where the previous one has ended, so that the time is linear.
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^"\d-]+/gy;
const integer = /^-?\d+$/;

/** Serializes a value as JSON, with each bigint as an integer. */
export function exactJson(value: unknown): string {
  // Reads the value from `this`, because the second parameter is a string if BigInt has a toJSON.
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, part) {
    const original = this[key];
    return typeof original === "bigint" ? mark + String(original) : part;
  });
  const [first, ...others] = (text ?? "").split(`"${mark}`);
  return [first, ...others.map((part) => part.replace('"', ""))].join("");
}

/** Parses JSON. Returns the integers of the named fields as bigint. Throws a SyntaxError if the text is not JSON. */
export function parseExactJson(text: string, fields: ReadonlySet<string>): unknown {
  JSON.parse(text); // the expression below assumes that the text is JSON
  const withMarks = text.replace(token, (part) => (integer.test(part) ? `"${mark}${part}"` : part));
  return JSON.parse(withMarks, (key, value) => {
    if (typeof value !== "string" || !value.startsWith(mark)) return value;
    const digits = value.slice(mark.length);
    return fields.has(key) ? BigInt(digits) : Number(digits);
  });
}
