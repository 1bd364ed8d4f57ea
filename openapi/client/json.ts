// JSON with int64 as bigint. JSON.parse would round integers beyond 2^53.

// TypeScript 5 has no types for rawJSON and for the source text of a reviver (ECMAScript 2026).
type Reviver = (key: string, value: unknown) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Whether the runtime supports exact integers in JSON. */
export const supportsExactJson = typeof rawJSON === "function";

/** Serializes a value as JSON, with each bigint as an integer. */
export function exactJson(value: unknown): string {
  // Reads the value from `this`, because the second parameter is a string if BigInt has a toJSON.
  return JSON.stringify(value, function (this: Record<string, unknown>, key, part) {
    const original = this[key];
    return typeof original === "bigint" ? rawJSON(String(original)) : part;
  });
}

/** Parses JSON. Returns the numbers of the named fields as bigint. Throws a SyntaxError if the text is not JSON. */
export function parseExactJson(text: string, fields: ReadonlySet<string>): unknown {
  const revive = (key: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" && fields.has(key) ? BigInt(source) : value;
  return JSON.parse(text, revive as Reviver);
}
