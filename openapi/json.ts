// JSON with int64 as bigint. JSON.parse alone would round what is beyond 2^53.

// TypeScript 5 does not know these of ECMAScript: the source text of a number, and writing it.
type Reviver = (key: string, value: unknown) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Whether the runtime can do it. */
export const canBeExact = typeof rawJSON === "function";

/** JSON text, with a bigint as its digits. */
export function exactJson(value: unknown): string {
  // Not the second parameter: a toJSON that someone gave to BigInt has made a text of it.
  return JSON.stringify(value, function (this: Record<string, unknown>, key, part) {
    const written = this[key];
    return typeof written === "bigint" ? rawJSON(String(written)) : part;
  });
}

/** The value of JSON text, with each of the named fields as a bigint. Throws a SyntaxError where it is no JSON. */
export function parseExactJson(text: string, fields: ReadonlySet<string>): unknown {
  const revive = (key: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" && fields.has(key) ? BigInt(source) : value;
  return JSON.parse(text, revive as Reviver);
}
