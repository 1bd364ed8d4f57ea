// Values for requests, made from schemas.
import fc from "fast-check";
import { type Json, list, type RawDocument } from "./document.ts";
import { toRegExp } from "./patterns.ts";

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

export interface ValueOptions {
  readonly depth?: number;
  /** The names of optional members that are sent. */
  readonly wanted?: readonly string[];
  /** The schema of the record that a response has. */
  readonly record?: unknown;
  /** Whether what the record requires is sent, even if the request does not require it. */
  readonly isWhole?: boolean;
  /** The index of the alternative that is chosen. */
  readonly choice?: number;
  /** Whether required members are sent although they are read-only, such as the id of another record. */
  readonly sendsReadOnly?: boolean;
}

/**
 * Returns a value that a schema allows in a request; `seed` makes texts and numbers differ. It has these optional members: texts, constants,
 * which tell alternatives apart, those that are `wanted`, and if it is whole, those that the record requires.
 */
export function makeValue(document: RawDocument, schema: unknown, seed: number, options: ValueOptions = {}): unknown {
  const { depth = 0, record, choice = 0 } = options;
  const found = document.resolve(schema);
  const { default: fallback, const: constant, example, examples, pattern } = found;
  if (constant !== undefined) return constant;
  const values = document.valuesOf(found);
  if (values.length > 0) {
    const known = document.valuesOf(record);
    const common = values.filter((value) => known.includes(value));
    const all = common.length > 0 ? common : values;
    return all[seed % all.length] ?? all[0];
  }
  const alternatives = [...list(found.oneOf), ...list(found.anyOf)];
  const alternative = alternatives[choice % alternatives.length];
  if (alternative !== undefined && document.resolve(alternative).const !== undefined)
    return document.resolve(alternative).const;
  const type = [found.type].flat().find((one) => one !== "null");
  const isObject =
    type === "object" || [found.properties, found.allOf, found.discriminator].some((one) => one !== undefined);
  if (isObject) return makeObject(document, found, seed, options);
  const inner = { ...options, depth: depth + 1 };
  if (alternative !== undefined && type === undefined) return makeValue(document, alternative, seed, inner);
  if (type === "array") {
    const count = Math.max(1, Number(found.minItems ?? 0)); // a form can't have an empty array
    const item = { ...inner, record: document.resolve(record).items };
    return Array.from({ length: count }, (_, index) => makeValue(document, found.items, seed + index, item));
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
  const [shortest, longest] = [Number(found.minLength ?? 0), Number(found.maxLength ?? 1_000)];
  if (typeof pattern === "string") {
    const regExp = toRegExp(pattern);
    const isSample = typeof sample === "string" && (regExp.test(sample) || /\(\?[!=<]/.test(pattern)); // fast-check knows no lookaround
    return isSample ? sample : fc.sample(fc.stringMatching(regExp), { numRuns: 1, seed })[0];
  }
  if (typeof sample === "string" && found.format !== undefined) return sample;
  // A response can restrict a text that a request does not.
  const known = document.resolve(record);
  if (typeof known.format === "string") return makeValue(document, known, seed);
  const text = known.type === "integer" ? `${seed % 10}` : `${list(known.enum)[0] ?? `text ${seed}`}`;
  return text.padEnd(shortest, "x").slice(0, longest);
}

function makeObject(document: RawDocument, schema: Json, seed: number, options: ValueOptions): Json {
  const { depth = 0, wanted = [], choice, sendsReadOnly = false, isWhole = false } = options;
  const { properties, required } = document.shape(schema, choice);
  const record = { ...document.shape(options.record), properties: document.properties(options.record) };
  // The server makes those of the record itself, unless they choose an alternative.
  const canBeSent = (name: string) => depth > 0 || document.resolve(properties[name]).enum !== undefined;
  const isSent = (name: string) =>
    document.resolve(properties[name]).readOnly !== true ||
    (sendsReadOnly && required.includes(name) && canBeSent(name));
  // A text is optional content. One whose member is no text in the record is a matter of its own.
  const isText = (name: string) => {
    const { type, format, nullable, enum: values } = document.resolve(properties[name]);
    const types = document.types(record.properties[name]);
    const isSame = types.length === 0 || types.includes("string");
    return type === "string" && (format ?? values) === undefined && nullable !== true && isSame;
  };
  const isConstant = (name: string) => {
    const { const: constant, enum: values } = document.resolve(properties[name]);
    return constant !== undefined || list(values).length === 1;
  };
  const names = Object.keys(properties);
  const optional = names.filter((name) => !required.includes(name) && isText(name));
  const constants = names.filter((name) => isConstant(name) && (depth > 0 || !required.includes(name)));
  // The record can be the only member of a body.
  const [only, ...rest] = names;
  const wrapped = only !== undefined && rest.length === 0 && !required.includes(only) ? [only] : [];
  // An object without members can't be sent in a form.
  const some = required.length === 0 ? [...optional, ...names].slice(0, 1) : [];
  const added = depth === 0 ? [...optional, ...wrapped] : some;
  const others = depth < 2 ? names.filter((name) => wanted.includes(name)) : [];
  const needed = names.filter((name) => isWhole && record.required.includes(name));
  const all = depth > 6 ? [] : [...required, ...added, ...constants, ...others, ...needed].filter(isSent);
  const make = (name: string) => {
    const inner = { ...options, depth: rest.length === 0 ? depth : depth + 1, record: record.properties[name] };
    return makeValue(document, properties[name] ?? { type: "string" }, seed, inner);
  };
  return Object.fromEntries([...new Set(all)].map((name) => [name, make(name)]));
}

/** Encodes the members of an object as a form, with those of nested ones as `a[b]`. */
export function encodeForm(value: unknown, name = ""): string[] {
  if (typeof value !== "object" || value === null)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(`${value}`)}`];
  const members = Object.entries(value);
  return members.flatMap(([key, member]) => encodeForm(member, name === "" ? key : `${name}[${key}]`));
}
