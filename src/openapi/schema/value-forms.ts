// The forms that the values of keywords can have. A keyword with another value is reported, and ignored.
import { isObject } from "../../lib/index.ts";
import type { Schema, SchemaObject } from "../source/document-types.ts";
import { toRegExp } from "./texts/regular-expressions.ts";

/** A form of values. */
export interface Form {
  matches(value: unknown): boolean;
  /** Completes the message "must be …". */
  readonly words: string;
  /** How the schemas in the value are named: not at all, by index or by name. Undefined if it has none. */
  readonly schemas?: "one" | "list" | "map";
}

/** The types of JSON Schema. */
export const typeNames = ["array", "boolean", "integer", "null", "number", "object", "string"];

const isTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string");
const isMapOf = (value: unknown, isMember: (member: unknown) => boolean) =>
  isObject(value) && Object.values(value).every(isMember);

export const any: Form = { matches: () => true, words: "" };
export const boolean: Form = { matches: (value) => typeof value === "boolean", words: "true or false" };
export const count: Form = {
  matches: (value) => Number.isInteger(value) && Number(value) >= 0,
  words: "an integer of at least 0",
};
export const list: Form = { matches: Array.isArray, words: "an array" };
export const number: Form = {
  matches: (value) => Number.isFinite(value) || typeof value === "bigint",
  words: "a number",
};
export const positiveNumber: Form = {
  matches: (value) => number.matches(value) && Number(value) > 0,
  words: "a number greater than 0",
};
export const text: Form = { matches: (value) => typeof value === "string", words: "a string" };
export const texts: Form = { matches: isTexts, words: "an array of strings" };
export const textsByName: Form = {
  matches: (value) => isMapOf(value, isTexts),
  words: "an object of arrays of strings",
};
export const pattern: Form = {
  matches: (value) => typeof value === "string" && isPattern(value),
  words: "a regular expression",
};
export const type: Form = {
  matches: (value) => {
    const names = [value].flat();
    return names.length > 0 && names.every((name) => typeNames.includes(name as string));
  },
  words: `one or more of ${typeNames.join(", ")}`,
};
export const schema: Form = { matches: isSchema, words: "a schema", schemas: "one" };
export const schemas: Form = {
  matches: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  words: "an array of at least one schema",
  schemas: "list",
};
export const schemasByName: Form = {
  matches: (value) => isMapOf(value, isSchema),
  words: "an object whose values are schemas",
  schemas: "map",
};
export const schemasByPattern: Form = {
  matches: (value) => isMapOf(value, isSchema) && Object.keys(value as object).every(isPattern),
  words: "an object whose names are regular expressions and whose values are schemas",
  schemas: "map",
};

/** Returns whether an object has a member. One that is undefined is missing, as in JSON. */
export function hasMember(value: SchemaObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

/** Returns the names of the members of an object. */
export function memberNames(value: SchemaObject): string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isObject(value);
}

/** Returns whether a text is a regular expression. */
export function isPattern(text: string): boolean {
  try {
    toRegExp(text);
    return true;
  } catch {
    return false;
  }
}

/** The keyword of a property that is not sent in one direction. */
export type Marker = "readOnly" | "writeOnly";

/**
 * What the subschemas of a keyword apply to:
 * - `whole`: to the value itself
 * - `reference`: to the value itself; the value of the keyword leads to the schema
 * - `alternative`: to the value itself, which need not match each of them
 * - `branch`: to the value itself, under a condition
 * - `test`: to the value itself, which need not match
 * - `member`: to the members of an object or array
 * - `name`: to the names of an object
 * - `nothing`: only to what refers to them
 */
export type Application = "whole" | "reference" | "alternative" | "branch" | "test" | "member" | "name" | "nothing";

/**
 * Returns the keywords of the schemas that are direct parts of a schema, with the name or index behind each; undefined if the keyword has
 * one schema. Returns all, or those that apply to something. Ignores invalid keywords.
 */
export type ListSubschemas = (
  schema: SchemaObject,
  applications?: ReadonlySet<Application>,
) => { readonly keyword: string; readonly key: string | undefined }[];
