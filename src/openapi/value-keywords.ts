// Keywords of schemas that Ajv does not have, or judges differently.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { DataValidateFunction } from "ajv/dist/types/index.js";
import { toJson } from "../lib/index.ts";
import type { SchemaNode } from "./schema-node.ts";
import { findUnevaluated } from "./unevaluated.ts";

/** Whether a value comes from a client, or goes to it. */
export type Direction = "request" | "response";

interface Failure {
  readonly keyword: string;
  readonly params?: object;
}

type Check = (value: unknown, direction: Direction) => Failure | undefined;

/** The keywords, to be added to Ajv in place of its own. `matches` returns whether a value matches a schema. */
export function valueKeywords(
  matches: (node: SchemaNode, value: unknown, direction: Direction) => boolean,
): FuncKeywordDefinition[] {
  return [
    // Of a property that must not be sent in one direction.
    define(
      "readOnly",
      (isMarked) => (_, direction) => (isMarked && direction === "request" ? { keyword: "readOnly" } : undefined),
    ),
    define(
      "writeOnly",
      (isMarked) => (_, direction) => (isMarked && direction === "response" ? { keyword: "writeOnly" } : undefined),
    ),
    define("requiredIn", (names) => (value, direction) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      const missing = (names as Record<Direction, string[]>)[direction].find((name) => !Object.hasOwn(value, name));
      return missing === undefined ? undefined : { keyword: "required", params: { missingProperty: missing } };
    }),
    define("exactEnum", (values) => {
      const known = new Set((values as unknown[]).map(toKey));
      return (value) => (known.has(toKey(value)) ? undefined : { keyword: "enum", params: { allowedValues: values } });
    }),
    define("unevaluated", (options) => (value, direction) => {
      const { node } = options as { node: SchemaNode };
      const found = findUnevaluated(node, value, (other, part) => matches(other, part, direction));
      return found && { keyword: found.keyword, params: { unevaluatedProperty: found.key, limit: Number(found.key) } };
    }),
  ];
}

function define(keyword: string, create: (value: unknown) => Check): FuncKeywordDefinition {
  return {
    keyword,
    errors: true,
    compile(schema: unknown) {
      const check = create(schema);
      const validate: DataValidateFunction = function (this: Direction, value: unknown) {
        const failure = check(value, `${this}`); // the code of Ajv is not strict, so that `this` is a String object
        if (failure) validate.errors = [{ params: {}, ...failure }];
        return failure === undefined;
      };
      return validate;
    },
  };
}

/** Returns a text that equal values have in common. An integer beyond 2^53 differs from the string of its digits. */
function toKey(value: unknown): string {
  return toJson(sortNames(value));
}

function sortNames(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortNames);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortNames(member)]));
}
