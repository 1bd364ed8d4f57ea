// Keywords of schemas that Ajv does not have, or judges differently.
import type { FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { DataValidateFunction } from "ajv/dist/types/index.js";
import { canonicalJson } from "../lib/index.ts";
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
      const known = new Set((values as unknown[]).map(canonicalJson));
      return (value) =>
        known.has(canonicalJson(value)) ? undefined : { keyword: "enum", params: { allowedValues: values } };
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
