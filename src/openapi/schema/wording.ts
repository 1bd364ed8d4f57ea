// Words of the sentences about invalid values.
import { shorten, toJson } from "../../lib/index.ts";

/** Returns the requirement that a value without a required part violates. */
export function describeMissing(name: string, noun: string): string {
  return `must have the ${noun} '${name}'`;
}

/** Returns the requirement that a part violates which is not one of the known ones, as far as these are known. */
export function describeUnknown(name: string, noun: string, known?: readonly string[]): string {
  const start = `has the unknown ${noun} '${shorten(name)}'`;
  if (known === undefined) return start;
  return known.length > 0 ? `${start}. Known ${noun}s: ${known.join(", ")}` : `${start}. No ${noun}s are allowed`;
}

/** Returns a value as text in a message. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}

/** Returns a number with its unit. */
export function countOf(number: unknown, unit: string): string {
  return number === 1 ? `one ${unit}` : `${number} ${unit}s`;
}
