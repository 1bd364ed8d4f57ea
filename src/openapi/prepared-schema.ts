// Prepares the schemas of a document for Ajv: with canonical references, exact numbers, and without annotations.

import { isInt64, replaceNumericType } from "./number-keywords.ts";
import {
  findProblem,
  hasNumber,
  isAnnotation,
  mapSubschemas,
  type Schema,
  type SchemaObject,
} from "./schema-keywords.ts";
import { isInPlace, type SchemaNode } from "./schema-node.ts";
import { isSeparate, leaveNames, type SeparateKeyword } from "./separate-keywords.ts";

/** The options of `prepareSchema`. */
export interface PreparationOptions {
  /** Returns the name under which Ajv knows a schema, as a part of `whole`. */
  nameOf(node: SchemaNode, whole: SchemaNode): string;
  /** Called for each keyword whose subschemas are compiled later. */
  onSeparate(): void;
  /** Returns whether the format of the schema at a place is enforced. */
  isFormat(name: string, pointer: string): boolean;
}

type Prepared = Record<string, unknown>;

// Keywords that are no requirement. Ajv gets what they lead to by references.
const ignoredKeywords = new Set([
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$defs",
  "$schema",
  "$ref",
  "$dynamicRef",
  "default",
]);

/**
 * Prepares a schema and its subschemas. Leaves out what can't be enforced, which was reported before. `whole` is the schema
 * of which it is a part, such as an item of `allOf`.
 */
export function prepareSchema(node: SchemaNode, options: PreparationOptions, whole = node): SchemaObject {
  const { schema } = node;
  const prepared: Prepared = {};
  const separate: SeparateKeyword[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (
      ignoredKeywords.has(keyword) ||
      (isAnnotation(keyword) && keyword !== "title") ||
      findProblem(keyword, value) !== undefined
    )
      continue;
    if (keyword === "format" && !options.isFormat(value as string, node.pointer) && !isInt64(schema)) continue;
    if (isSeparate(keyword, schema)) {
      const names = leaveNames(keyword, value);
      if (names !== undefined) prepared[keyword] = names;
      separate.push({ keyword, node, whole });
      continue;
    }
    prepared[keyword] = mapSubschemas(keyword, value, (subschema, place) =>
      typeof subschema === "boolean"
        ? subschema
        : prepareSchema(node.at(place), options, isInPlace(keyword) ? whole : undefined),
    );
  }
  for (const target of node.references()) addPart(prepared, { $ref: options.nameOf(target, whole) });
  if (separate.length > 0) {
    prepared.separate = () => separate; // a function, because Ajv would look for `$id` in an object
    options.onSeparate();
  }
  replaceEnum(prepared);
  moveProto(prepared);
  replaceUnevaluated(prepared, { node, whole });
  replaceRequired(prepared, [node, whole]);
  return replaceNumericType(prepared);
}

// A schema that the value must match as well.
function addPart(prepared: Prepared, part: Schema): void {
  if (typeof part === "object" && prepared.$ref === undefined) prepared.$ref = part.$ref;
  else prepared.allOf = [...((prepared.allOf as Schema[] | undefined) ?? []), part];
}

// Ajv accepts no empty enum, and compares no bigint, which an int64 can be.
function replaceEnum(prepared: Prepared): void {
  const values = prepared.enum as unknown[] | undefined;
  if (values?.length === 0) {
    delete prepared.enum;
    addPart(prepared, false);
  } else if (hasNumber(values)) {
    prepared.exactEnum = values;
    delete prepared.enum;
  }
  if (hasNumber(prepared.const)) {
    prepared.exactConst = prepared.const;
    delete prepared.const;
  }
}

/** Moves the property `__proto__`, which Ajv ignores, to the patterns. */
export function moveProto(prepared: Prepared): void {
  const properties = prepared.properties as Prepared | undefined;
  if (properties === undefined || !Object.hasOwn(properties, "__proto__")) return;
  const { ["__proto__"]: schema, ...others } = properties;
  prepared.properties = others;
  prepared.patternProperties = { ...(prepared.patternProperties as object), "^__proto__$": schema };
}

function replaceUnevaluated(
  prepared: Prepared,
  nodes: { readonly node: SchemaNode; readonly whole: SchemaNode },
): void {
  if (prepared.unevaluatedItems === undefined && prepared.unevaluatedProperties === undefined) return;
  prepared.unevaluated = () => nodes;
  delete prepared.unevaluatedItems;
  delete prepared.unevaluatedProperties;
}

// A property that is read-only is not required in a request, and one that is write-only not in a response.
function replaceRequired(prepared: Prepared, nodes: readonly SchemaNode[]): void {
  const required = prepared.required as string[] | undefined;
  if (required === undefined) return;
  const select = (marker: "readOnly" | "writeOnly") =>
    required.filter((name) => nodes.some((node) => node.isMarked(name, marker)));
  const [readOnly, writeOnly] = [select("readOnly"), select("writeOnly")];
  if (readOnly.length + writeOnly.length === 0) return;
  prepared.required = required.filter((name) => !readOnly.includes(name) && !writeOnly.includes(name));
  prepared.requiredIn = { request: writeOnly, response: readOnly };
}
