// What the schemas say that apply to the same value: its alternatives, properties, type and items.
import type { SchemaNode } from "../../openapi/index.ts";

/** A type of values that a store can compare. */
export type ValueType = "string" | "int64" | "number" | "boolean";

/** Returns the schemas that apply to a property of a property, and so on, of a value to which all of these apply. */
export function propertyAt(nodes: readonly SchemaNode[], path: readonly string[]): readonly SchemaNode[] {
  return path.reduce(
    (found, name) => found.flatMap((node) => node.parts()).flatMap((node) => node.property(name)),
    nodes,
  );
}

const maxDepth = 3; // of alternatives in alternatives, which can lead back to the schema

// The schemas of `oneOf` and `anyOf`.
function choicesOf(nodes: readonly SchemaNode[]): readonly SchemaNode[] {
  return nodes.flatMap((node) =>
    ["oneOf", "anyOf"].flatMap((keyword) => node.childrenOf(keyword)).map((one) => one.node),
  );
}

/** Returns the alternatives that have properties. */
export function alternativesOf(parts: readonly SchemaNode[], depth = 0): readonly SchemaNode[] {
  if (depth > maxDepth) return [];
  return choicesOf(parts).flatMap((node) => {
    const inner = node.parts();
    const hasProperties = inner.some(({ schema }) => schema.properties !== undefined);
    return hasProperties || alternativesOf(inner, depth + 1).length > 0 ? [node] : [];
  });
}

/** Returns the schemas that apply together, for each combination of alternatives. */
export function variantsOf(parts: readonly SchemaNode[], depth = 0): readonly (readonly SchemaNode[])[] {
  const alternatives = alternativesOf(parts, depth);
  if (alternatives.length === 0) return [parts];
  return alternatives.flatMap((node) => variantsOf(node.parts(), depth + 1).map((one) => [...parts, ...one]));
}

/** Returns the type of values that a store can compare; undefined for others. `schemas` apply to the same value. */
export function valueType(schemas: readonly SchemaNode[]): ValueType | undefined {
  const types = schemas.flatMap(({ schema: { type } }) => (type === undefined ? [] : [[type].flat()]));
  const [first, ...others] = new Set(types.flat().filter((name) => name !== "null"));
  if (others.length > 0) return undefined;
  if (first === "integer") return schemas.some(({ schema }) => schema.format === "int64") ? "int64" : "number";
  return first === "string" || first === "number" || first === "boolean" ? first : undefined;
}

/** Returns schemas with their alternatives. */
export function withAlternatives(schemas: readonly SchemaNode[]): readonly SchemaNode[] {
  return schemas.flatMap((node) => [node, ...choicesOf([node])]);
}

/** Returns the only type of the alternatives of a value that a store can compare, such as that of the id instead of an object. */
export function alternativeType(schemas: readonly SchemaNode[]): ValueType | undefined {
  const types = new Set(choicesOf(schemas).flatMap((node) => valueType(node.parts()) ?? []));
  const [type] = types;
  return types.size === 1 ? type : undefined;
}

/** Returns the schemas of the items of an array; undefined if it is none. */
export function itemSchemas(schemas: readonly SchemaNode[]): readonly SchemaNode[] | undefined {
  const items = schemas.flatMap((node) => node.item(Number.POSITIVE_INFINITY) ?? []);
  return items.length > 0 ? items.flatMap((node) => node.parts()) : undefined;
}
