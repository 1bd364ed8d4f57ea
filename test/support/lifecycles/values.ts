// Values for requests, made from schemas.
import fc from "fast-check";
import { type Json, list, type RawDocument } from "./document.ts";

const formats: Readonly<Record<string, unknown>> = {
  "date-time": "2026-03-04T05:06:07Z",
  date: "2026-03-04",
  time: "05:06:07Z",
  email: "someone@example.org",
  uri: "https://example.org/a",
  url: "https://example.org/a",
  hostname: "example.org",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  byte: "YWJj",
};

/**
 * Returns a value that a schema allows in a request; `seed` makes texts and numbers differ. Optional members have simple types, or are
 * `wanted`, by their names.
 */
export function makeValue(
  document: RawDocument,
  schema: unknown,
  seed: number,
  depth = 0,
  wanted: readonly string[] = [],
): unknown {
  const found = document.resolve(schema);
  const { default: fallback, enum: values, const: constant, example, examples, pattern } = found;
  if (constant !== undefined) return constant;
  if (Array.isArray(values) && values.length > 0) return values[seed % values.length] ?? values[0];
  const [alternative] = [...list(found.oneOf), ...list(found.anyOf)];
  if (alternative !== undefined && document.resolve(alternative).const !== undefined)
    return document.resolve(alternative).const;
  const type = [found.type].flat().find((one) => one !== "null");
  const isObject =
    type === "object" || [found.properties, found.allOf, found.discriminator].some((one) => one !== undefined);
  if (isObject) return makeObject(document, found, seed, depth, wanted);
  if (alternative !== undefined && type === undefined) return makeValue(document, alternative, seed, depth + 1, wanted);
  if (type === "array") {
    const count = Math.max(1, Number(found.minItems ?? 0)); // a form can't have an empty array
    return Array.from({ length: count }, (_, index) => makeValue(document, found.items, seed + index, depth + 1));
  }
  if (type === "boolean") return seed % 2 === 0;
  if (type === "integer" || type === "number") {
    const [min, max] = [Number(found.minimum ?? 0), Number(found.maximum ?? 1_000)];
    const multiple = Number(found.multipleOf ?? 1);
    const wanted = Math.min(max, min + multiple * (1 + (seed % 7)));
    return found.exclusiveMaximum === true && wanted === max ? min + multiple : wanted;
  }
  if (found.format === "uuid") return `7d444840-9dc0-11d1-b245-${`${seed}`.padStart(12, "0")}`;
  const format = list(found.allOf).length === 0 ? formats[`${found.format}`] : undefined;
  if (format !== undefined) return format;
  const [listed] = list(examples);
  const sample = example ?? listed ?? fallback;
  if (typeof sample === "string" && (pattern !== undefined || found.format !== undefined)) return sample;
  if (typeof pattern === "string") return fc.sample(fc.stringMatching(toRegExp(pattern)), { numRuns: 1, seed })[0];
  const text = `text ${seed}`;
  const [shortest, longest] = [Number(found.minLength ?? 0), Number(found.maxLength ?? 1_000)];
  return text.padEnd(shortest, "x").slice(0, longest);
}

function makeObject(document: RawDocument, schema: Json, seed: number, depth: number, wanted: readonly string[]): Json {
  const { properties, required } = document.shape(schema);
  const isSent = (name: string) => document.resolve(properties[name]).readOnly !== true;
  const optional = Object.keys(properties).filter((name) => {
    const { type, format, nullable, enum: values } = document.resolve(properties[name]);
    return !required.includes(name) && type === "string" && (format ?? values) === undefined && nullable !== true;
  });
  // The record can be the only member of a body.
  const [only, ...rest] = Object.keys(properties);
  const wrapped = only !== undefined && rest.length === 0 && !required.includes(only) ? [only] : [];
  // An object without members can't be sent in a form.
  const added = depth === 0 ? [...optional, ...wrapped] : required.length === 0 ? optional.slice(0, 1) : [];
  const others = depth < 2 ? Object.keys(properties).filter((name) => wanted.includes(name)) : [];
  const names = depth > 6 ? [] : [...required, ...added, ...others].filter(isSent);
  const make = (name: string) => makeValue(document, properties[name] ?? { type: "string" }, seed, depth + 1, wanted);
  const own = [...new Set(names)].map((name) => [name, make(name)]);
  return Object.fromEntries(own);
}

function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

/** Encodes the members of an object as a form, with those of nested ones as `a[b]`. */
export function encodeForm(value: unknown, name = ""): string[] {
  if (typeof value !== "object" || value === null)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(`${value}`)}`];
  const members = Object.entries(value);
  return members.flatMap(([key, member]) => encodeForm(member, name === "" ? key : `${name}[${key}]`));
}
