// Default values of missing properties. They are filled in last, because the conditions of other schemas compare the original
// value.

import { isObject, setOwn } from "../../../lib/index.ts";
import type { SchemaObject } from "../../source/document-types.ts";
import { type Direction, Evaluation } from "../evaluation.ts";
import type { Compiler, Keywords } from "../keyword.ts";
import { possiblePartsOf, type SchemaNode } from "../node.ts";
import { Shape } from "../shape.ts";
import * as form from "../value-forms.ts";

const maxValues = 10_000; // of a default; otherwise, schemas that refer to each other could double it with each level
const maxFilled = 1_000_000; // values of all defaults in a value: a client can send many objects without members

/**
 * Returns a default in the form of its schema, if it is written in another one whose meaning is clear: "1" for an integer, 1 for a
 * string, "a" or "a,b" for an array, or "A" or "'a'" for the only value "a" of an enum. Otherwise, returns the default.
 */
export function convertDefault(node: SchemaNode, value: unknown): unknown {
  const shape = new Shape([node], () => true);
  if (typeof value === "string" && shape.isOnly("array"))
    return value === "" ? [] : value.split(",").map((item) => shape.items().parsePrimitive(item.trim()));
  if (typeof value === "string") return findInEnum(node, value) ?? shape.parsePrimitive(value);
  const isText = shape.types.has("string");
  return isText && /^(number|bigint|boolean)$/.test(typeof value) ? `${value}` : value;
}

// Tools write the names of constants instead of their values, and quotes of the language.
function findInEnum(node: SchemaNode, text: string): unknown {
  const values = possiblePartsOf([node]).flatMap(({ schema }) => (schema.enum ?? []) as readonly unknown[]);
  const plain = text.replace(/^'(.*)'$/, "$1").toLowerCase();
  const [found, other] = new Set(values.filter((one) => `${one}`.toLowerCase() === plain));
  return other === undefined ? found : undefined;
}

/** Returns whether a request can't have a property, so that its default is not filled in. */
export function isReadOnly(property: SchemaNode): boolean {
  return property.parts().some(({ schema }) => schema.readOnly === true);
}

/** Returns the schema that has the default of a schema: itself, or one that applies besides; undefined if there is none. */
export function findDefault(node: SchemaNode): SchemaNode | undefined {
  return node.parts().find(({ schema }) => schema.default !== undefined);
}

/**
 * Returns a function that adds the defaults of the missing properties of a value to its changes; undefined if there are none. A
 * default that is not valid is not used: it was reported before.
 */
export function compileDefaults(
  node: SchemaNode,
  compiler: Compiler,
): ((value: SchemaObject, run: Evaluation) => void) | undefined {
  if (!node.hasDefaults) return undefined;
  const defaults = node.childrenOf("properties").flatMap(({ key, node: property }) => {
    const value = findDefault(property)?.schema.default;
    if (value === undefined) return [];
    const isUnsent = isReadOnly(property);
    const cell = compiler.cellOf(property);
    const filled = new Map<Direction, unknown>(); // the default with the defaults of its members, if it is valid
    const read = (direction: Direction) => {
      if (filled.has(direction)) return filled.get(direction);
      filled.set(direction, undefined); // in itself, it is not filled in again
      for (const candidate of new Set([value, convertDefault(property, value)])) {
        const holder = { [key]: copy(candidate) };
        const run = new Evaluation(direction, holder, "convert");
        run.position.key = key;
        if (!cell.check(holder[key], run, undefined)) continue;
        run.change();
        filled.set(direction, countValues(holder[key]) > maxValues ? candidate : holder[key]);
        break;
      }
      return filled.get(direction);
    };
    return [{ key, isUnsent, read }];
  });
  if (defaults.length === 0) return undefined;
  return (value, run) => {
    if (!run.fillsDefaults) return;
    for (const { key, isUnsent, read } of defaults) {
      if (Object.hasOwn(value, key) || (isUnsent && run.direction === "request")) continue;
      run.changes?.push(() => {
        if (Object.hasOwn(value, key)) return; // another schema has filled it in
        const filled = read(run.direction);
        run.filled += countValues(filled);
        if (filled !== undefined && run.filled <= maxFilled) setOwn(value, key, copy(filled));
      });
    }
  };
}

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 1);
}

// A handler may change the value. Not structuredClone, which takes ten times as long for a small one.
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]));
}

export const defaultKeywords: Keywords = { default: { form: form.any } };
