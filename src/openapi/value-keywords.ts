// Keywords of schemas that Ajv does not have, or evaluates differently.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { DataValidateFunction, DataValidationCxt } from "ajv/dist/types/index.js";
import { toJson } from "../lib/index.ts";
import type { Direction, ValidationContext } from "./memoized-validation.ts";
import type { SchemaNode } from "./schema-node.ts";
import { type Compile, createSeparateCheck, type SeparateKeyword } from "./separate-keywords.ts";
import { findUnevaluated } from "./unevaluated.ts";

interface Failure {
  readonly keyword: string;
  readonly params?: object;
}

type Check = (value: unknown, context: ValidationContext, cxt: DataValidationCxt) => Failure | undefined;

/** The validation by other schemas, for keywords that need it. */
export interface SchemaValidation {
  readonly compile: Compile;
  /** Returns whether a value matches a schema, as a part of `whole`. */
  matches(node: SchemaNode, value: unknown, context: ValidationContext, whole?: SchemaNode): boolean;
}

/** The keywords, to be added to Ajv in place of its own. */
export function valueKeywords({ compile, matches }: SchemaValidation): FuncKeywordDefinition[] {
  return [
    defineMarker("readOnly", "request"),
    defineMarker("writeOnly", "response"),
    define("requiredIn", (names) => (value, { direction }) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      const missing = (names as Partial<Record<Direction, string[]>>)[direction]?.find(
        (name) => !Object.hasOwn(value, name),
      );
      return missing === undefined ? undefined : { keyword: "required", params: { missingProperty: missing } };
    }),
    define("exactEnum", (values) => {
      const known = new Set((values as unknown[]).map(toKey));
      return (value) => (known.has(toKey(value)) ? undefined : { keyword: "enum", params: { allowedValues: values } });
    }),
    // Ajv's own compares each item with each other.
    define("uniqueItems", (isRequired) => (value) => {
      if (!isRequired || !Array.isArray(value)) return undefined;
      return new Set(value.map(toKey)).size < value.length ? { keyword: "uniqueItems" } : undefined;
    }),
    define("exactConst", (allowedValue) => {
      const key = toKey(allowedValue);
      return (value) => (toKey(value) === key ? undefined : { keyword: "const", params: { allowedValue } });
    }),
    // Ajv's own generates code that is nested as deeply as there are properties.
    define("dependentRequired", (dependencies) => (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      for (const [property, names] of Object.entries(dependencies as Record<string, string[]>)) {
        const missingProperty = names.find((name) => !Object.hasOwn(value, name));
        if (Object.hasOwn(value, property) && missingProperty !== undefined)
          return { keyword: "dependentRequired", params: { property, missingProperty } };
      }
      return undefined;
    }),
    define("separate", (keywords) => {
      const checks = (keywords as () => SeparateKeyword[])().map((keyword) => createSeparateCheck(keyword, compile));
      return (value, context, cxt) => {
        for (const check of checks) {
          const error = check(value, context, cxt);
          if (error) return error;
        }
        return undefined;
      };
    }),
    define("unevaluated", (options) => (value, context) => {
      const nodes = (options as () => { readonly node: SchemaNode; readonly whole: SchemaNode })();
      const found = findUnevaluated(nodes, value, (other, part, whole) => matches(other, part, context, whole));
      return found && { keyword: found.keyword, params: { unevaluatedProperty: found.key, limit: Number(found.key) } };
    }),
  ];
}

// Marks a property that must not be sent in one direction. It has no meaning for parameters, items and whole bodies.
function defineMarker(keyword: "readOnly" | "writeOnly", excluded: Direction): FuncKeywordDefinition {
  return define(
    keyword,
    (isMarked) =>
      (_, { direction }, { parentDataProperty }) =>
        isMarked && direction === excluded && typeof parentDataProperty === "string" ? { keyword } : undefined,
  );
}

function define(keyword: string, create: (value: unknown) => Check): FuncKeywordDefinition {
  return {
    keyword,
    errors: true,
    compile(schema: unknown) {
      const check = create(schema);
      const validate: DataValidateFunction = function (
        this: ValidationContext,
        value: unknown,
        cxt?: DataValidationCxt,
      ) {
        const failure = check(value, this, cxt as DataValidationCxt);
        if (failure) validate.errors = [{ params: {}, ...failure }];
        return failure === undefined;
      };
      return validate;
    },
  };
}

/** Returns a text that equal values have in common. An integer beyond 2^53 differs from the string of its digits. */
export function toKey(value: unknown): string {
  return toJson(sortNames(value));
}

function sortNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortNames);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortNames(member)]));
}
