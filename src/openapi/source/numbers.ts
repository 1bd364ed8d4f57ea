// The integers of a document that a double can't represent.

/** Returns a copy of a value in which each bigint is a number, for tools that know no bigint. */
export function toNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toNumbers(member)]));
}
