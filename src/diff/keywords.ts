// How keywords limit values, and what a change of other fields means to callers.
import { isDeepStrictEqual } from "node:util";
import { toJson } from "../lib/index.ts";

/** What a change means to callers. */
export type Rating = "breaking" | "compatible" | "documentation";

/** Who sends the values of a schema: callers, or the service. `unrated` are those of a condition, which no rule rates. */
export type Direction = "request" | "response" | "unrated";

/** What became of the allowed values: less, more, or both. Undefined if they are the same. */
export type Relation = "narrower" | "wider" | "other" | undefined;

interface Limit {
  /** That of the keyword with which it is compared. */
  readonly name: string;
  readonly read: (value: unknown, keyword: string) => unknown;
  /** Returns the limit of a value to which both apply. */
  readonly merge: (one: unknown, other: unknown) => unknown;
  readonly relate: (before: unknown, after: unknown) => Relation;
  readonly format: (limit: unknown) => string;
}

interface Bound {
  readonly at: number | bigint;
  /** Whether it is exclusive. */
  readonly isOpen: boolean;
}

/** The keywords that limit a value, in which no schema is. */
export const limits: ReadonlyMap<string, Limit> = new Map([
  ...["minimum", "exclusiveMinimum"].map((keyword) => [keyword, createBound("minimum", 1)] as const),
  ...["maximum", "exclusiveMaximum"].map((keyword) => [keyword, createBound("maximum", -1)] as const),
  ...["minLength", "minItems", "minProperties", "minContains"].map((name) => [name, createBound(name, 1, 0)] as const),
  ...["maxLength", "maxItems", "maxProperties", "maxContains"].map((name) => [name, createBound(name, -1)] as const),
  ...["format", "pattern", "multipleOf", "contentEncoding", "contentMediaType"].map(
    (name) => [name, createSet(name)] as const,
  ),
  ["uniqueItems", createSet("uniqueItems")] as const,
]);

// `sign` is 1 if a greater bound allows less. A bound of `least` allows all values.
function createBound(name: string, sign: 1 | -1, least?: number): Limit {
  const isLess = (one: Bound, other: Bound) =>
    one.at === other.at ? one.isOpen && !other.isOpen : sign === 1 ? one.at > other.at : one.at < other.at;
  return {
    name,
    read: (value, keyword): Bound | undefined =>
      value === least ? undefined : { at: value as number, isOpen: keyword.startsWith("exclusive") },
    merge: (one, other) => (isLess(one as Bound, other as Bound) ? one : other),
    relate: (before, after) => {
      if (before === undefined || after === undefined)
        return before === after ? undefined : before ? "wider" : "narrower";
      if (isLess(after as Bound, before as Bound)) return "narrower";
      return isLess(before as Bound, after as Bound) ? "wider" : undefined;
    },
    format: (limit) => `${(limit as Bound).at}${(limit as Bound).isOpen ? " (exclusive)" : ""}`,
  };
}

// Of independent requirements: a value must match all of them.
function createSet(name: string): Limit {
  return {
    name,
    read: (value) => (value === false || (name === "pattern" && /^\^?\.\*\$?$/.test(`${value}`)) ? undefined : [value]),
    merge: (one, other) => [...new Set([...(one as unknown[]), ...(other as unknown[])])],
    relate: (before = [], after = []) => relateSets(before as unknown[], after as unknown[], name),
    format: (limit) => (limit as unknown[]).map((one) => toJson(one)).join(" and "),
  };
}

const wider: Readonly<Record<string, string>> = { int32: "int64", float: "double" };

function relateSets(before: unknown[], after: unknown[], name: string): Relation {
  const [lost, gained] = [subtract(before, after), subtract(after, before)];
  const isWithin = (one: unknown, other: unknown) =>
    name === "format" ? wider[`${one}`] === other : name === "multipleOf" && Number(one) % Number(other) === 0;
  if (lost.length === 1 && gained.length === 1)
    return isWithin(gained[0], lost[0]) ? "narrower" : isWithin(lost[0], gained[0]) ? "wider" : "other";
  return relationOf(new Set(gained), new Set(lost)); // less requirements are more values
}

/** Returns what became of a set that lost and gained values. */
export function relationOf(lost: ReadonlySet<unknown>, gained: ReadonlySet<unknown>): Relation {
  if (lost.size > 0) return gained.size > 0 ? "other" : "narrower";
  return gained.size > 0 ? "wider" : undefined;
}

/** Returns the rating of a change of the allowed values. Callers accept what allows them more, and receive what they know. */
export function rate(relation: Relation, direction: Direction): Rating {
  if (relation === "narrower" && direction === "response") return "compatible";
  return relation === "wider" && direction === "request" ? "compatible" : "breaking";
}

/** Fields with text for people, which programs do not interpret. */
const texts =
  /^(\$comment|contact|description|example|examples|externalDocs|license|summary|tags|termsOfService|title|bearerFormat|x-.*)$/;

type FieldRule = (
  before: unknown,
  after: unknown,
  context: { readonly direction: Direction; readonly today: string },
) => Rating;

const stabilities: readonly unknown[] = ["experimental", "beta", undefined];

// The fields with a meaning of their own.
const fields: Readonly<Record<string, FieldRule>> = {
  operationId: () => "compatible", // of a link and a generated client, but of no request
  deprecated: () => "compatible",
  allowReserved: (_, after) => (after === true ? "compatible" : "breaking"),
  allowEmptyValue: (_, after) => (after === true ? "compatible" : "breaking"),
  // Another default changes the response to callers that omit the value. A first default specifies what was unspecified.
  default: (before, _, { direction }) => (before === undefined || direction === "response" ? "compatible" : "breaking"),
  // The maximum size of a body.
  "x-max-bytes": (before, after) =>
    Number(before ?? Number.POSITIVE_INFINITY) > Number(after ?? Number.POSITIVE_INFINITY) ? "breaking" : "compatible",
  // Until its sunset, an operation must remain. A new sunset must not be in the past.
  "x-sunset": (before, after, { today }) => {
    const isEarlier = before !== undefined && after !== undefined && `${after}` < `${before}`;
    return isEarlier || (after !== undefined && `${after}` < today) ? "breaking" : "compatible";
  },
  "x-stability": (before, after) =>
    stabilities.indexOf(after) < stabilities.indexOf(before) ? "breaking" : "compatible",
  // It can get new values. Callers branch on the existing ones.
  "x-extensible-enum": (before, after) =>
    before !== undefined && (!Array.isArray(after) || subtract(before as unknown[], after).length > 0)
      ? "breaking"
      : "compatible",
  discriminator: (before, after) => {
    const [one, other] = [Object(before), Object(after)];
    const mapped = Object.entries(Object(one.mapping));
    const isSame =
      one.propertyName === other.propertyName && mapped.every(([name, to]) => Object(other.mapping)[name] === to);
    return before === undefined || isSame ? "compatible" : "breaking";
  },
};

/** Returns the rating of a change of a field; undefined if no rule rates it. */
export function rateField(
  name: string,
  before: unknown,
  after: unknown,
  direction: Direction,
  today: string,
): Rating | undefined {
  return fields[name]?.(before, after, { direction, today }) ?? (texts.test(name) ? "documentation" : undefined);
}

/** Returns whether a part could be removed: its sunset has passed. */
export function isPastSunset(part: unknown, today: string): boolean {
  return `${Object(part)["x-sunset"] ?? "9999"}` < today;
}

/** Describes a change of a field or keyword. */
export function describeField(name: string, before: unknown, after: unknown): string {
  if (texts.test(name) && !(name in fields)) return `\`${name}\` changed.`;
  if (!Array.isArray(before) || !Array.isArray(after))
    return describeTexts(
      name,
      before === undefined ? undefined : format(before),
      after === undefined ? undefined : format(after),
    );
  const differences = { lost: subtract(before, after), gained: subtract(after, before) };
  const parts = Object.entries(differences).flatMap(([verb, values]) =>
    values.length > 0 ? `${verb} ${shortList(values.map(format))}` : [],
  );
  return `\`${name}\` ${parts.join(" and ")}.`;
}

/** Describes a change of a field or keyword by the texts of its values; undefined if it is missing. */
export function describeTexts(name: string, before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `\`${name}\` was added with the value ${after}.`;
  if (after === undefined) return `\`${name}\` was removed. Its value was ${before}.`;
  return `\`${name}\` changed from ${before} to ${after}.`;
}

function shortList(texts: readonly string[]): string {
  return texts.length <= 10 ? texts.join(", ") : `${texts.slice(0, 9).join(", ")} and ${texts.length - 9} others`;
}

/** Returns whether two values of a field mean the same. The order of tags, values and names does not matter. */
export function isSame(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  const isSet = (value: unknown): value is unknown[] =>
    Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isSet(one) && isSet(other) && subtract(one, other).length === 0 && subtract(other, one).length === 0;
}

/** Returns the values that are not among the others. */
export function subtract(values: readonly unknown[], others: readonly unknown[]): unknown[] {
  const known = new Set(others);
  return values.filter((value) => !known.has(value));
}

function format(value: unknown): string {
  const text = toJson(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
