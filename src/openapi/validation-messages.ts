// Messages for the errors of Ajv: what a value must be, by the keyword of the schema that it violates.
//
// Not ajv-errors, which needs a message in each schema, nor ajv-i18n, whose English messages are those of Ajv: "must NOT
// have fewer than 1 properties".
import type { ErrorObject } from "ajv";
import { type Problem, shorten, toJson } from "../lib/index.ts";
import { unescapeToken } from "./part.ts";

const maxPath = 200; // characters

const articles: Readonly<Record<string, string>> = {
  array: "an array",
  integer: "an integer",
  object: "an object",
  null: "null",
};

// Completes "The field 'x' …". The parameters are those of Ajv's errors.
const descriptions: Readonly<Record<string, (params: ErrorObject["params"]) => string>> = {
  type: ({ type }) => `must be ${[type].flat().map(addArticle).join(" or ")}`,
  enum: ({ allowedValues }) => `must be one of: ${allowedValues.map(toText).join(", ")}`,
  const: ({ allowedValue }) => `must be equal to ${toText(allowedValue)}`,
  minLength: ({ limit }) => `must have at least ${count(limit, "character")}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, "character")}`,
  pattern: ({ pattern }) => `must match the regular expression ${pattern}`,
  format: ({ format }) => `must have the format ${format}`,
  minItems: ({ limit }) => `must have at least ${count(limit, "item")}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, "item")}`,
  items: ({ limit }) => `must have at most ${count(limit, "item")}`,
  unevaluatedItems: ({ limit }) => `must have at most ${count(limit, "item")}`,
  uniqueItems: () => "must not have the same item twice",
  contains: ({ minContains, maxContains = Number.POSITIVE_INFINITY }) =>
    `must have at least ${count(minContains, "item")}${Number.isFinite(maxContains) ? ` and at most ${maxContains}` : ""} of the required form`,
  minProperties: ({ limit }) => `must have at least ${count(limit, "field")}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, "field")}`,
  dependentRequired: ({ property, missingProperty }) =>
    `must have the field '${missingProperty}', because it has the field '${property}'`,
  anyOf: () => "must match one of the alternatives of its schema",
  oneOf: () => "must match exactly one of the alternatives of its schema",
  not: () => "has a value that the document excludes",
  readOnly: () => "must not be sent, because it is read-only",
  writeOnly: () => "must not be returned, because it is write-only",
  "false schema": () => "is not allowed",
};

/**
 * Returns the error that describes the failure. Ajv reports the errors of nested schemas first: those of each
 * alternative, before that of `anyOf`.
 */
export function findMainError(errors: readonly ErrorObject[]): ErrorObject {
  const main = errors.findLast(({ keyword }) => keyword !== "if" && keyword !== "propertyNames") as ErrorObject;
  const last = errors.at(-1) as ErrorObject;
  const { propertyName } = last.keyword === "propertyNames" ? last.params : {};
  return propertyName === undefined ? main : { ...main, propertyName };
}

/**
 * Describes why a value was rejected: the path of the invalid part, such as `owner.name`, and the requirement that it
 * violates. The path is empty for the value itself. `noun` is the name of the parts of the value, such as `field` or
 * `query parameter`.
 */
export function describeFailure(errors: readonly ErrorObject[], noun: string): Problem {
  const error = findMainError(errors);
  const { missingProperty, additionalProperty = missingProperty } = error.params ?? {}; // own keywords have none
  const steps = error.instancePath.split("/").slice(1).map(unescapeToken);
  const path = toPath(steps);
  const requirement = describeError(error, noun);
  return additionalProperty === undefined
    ? { path, requirement }
    : { path, part: toPath([...steps, additionalProperty]), requirement };
}

/** Returns the path of a part in messages, such as `owner.name`. */
export function toPath(steps: readonly string[]): string {
  return shorten(steps.join("."), maxPath);
}

/**
 * Returns the requirement that a value violates. It completes a sentence about the value: "must be at most 100". `noun`
 * is the name of the parts of the value, such as `field` or `query parameter`.
 */
export function describeError(error: ErrorObject, noun: string): string {
  const { keyword, message, params, parentSchema, propertyName } = error;
  if (propertyName !== undefined)
    return `has the ${noun} '${shorten(propertyName)}', whose name ${describeError({ ...error, propertyName: undefined }, noun)}`;
  if (keyword === "required") return describeMissing(params.missingProperty, noun);
  if (keyword === "unevaluatedProperties") return `has the unknown ${noun} '${shorten(params.unevaluatedProperty)}'`;
  if (keyword === "additionalProperties") {
    const names = Object.keys({ ...(parentSchema as { readonly properties?: object } | undefined)?.properties });
    return describeUnknown(params.additionalProperty, names, noun);
  }
  if (keyword === "pattern" && parentSchema?.title) return `must be ${parentSchema.title}`;
  return descriptions[keyword]?.(params) ?? `${message}`;
}

/** Returns the requirement that a value without a required part violates. */
export function describeMissing(name: string, noun: string): string {
  return `must have the ${noun} '${name}'`;
}

/** Returns the requirement that a part violates which is not one of the known ones. */
export function describeUnknown(name: string, known: readonly string[], noun: string): string {
  const names = known.length > 0 ? `Known ${noun}s: ${known.join(", ")}` : `No ${noun}s are allowed`;
  return `has the unknown ${noun} '${shorten(name)}'. ${names}`;
}

/** Returns the name of a type of JSON Schema with its article: "an array". */
export function addArticle(type: string): string {
  return articles[type] ?? `a ${type}`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}

function count(number: number, noun: string): string {
  return number === 1 ? `one ${noun}` : `${number} ${noun}s`;
}
