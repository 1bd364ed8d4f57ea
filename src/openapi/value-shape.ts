// The types that a schema allows, as far as they tell how to read a text: a parameter, or the field of a form.

import { parseInteger } from "../lib/index.ts";
import { escapeToken } from "./part.ts";
import { compilePattern } from "./regular-expressions.ts";
import { findProblem } from "./schema-keywords.ts";
import type { SchemaNode } from "./schema-node.ts";

const alternatives = new Set(["anyOf", "oneOf", "then", "else", "dependentSchemas"]);

/** The shape of the values of a schema, of all its alternatives together. */
export class Shape {
  /** The types of JSON Schema. Empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly #nodes: readonly SchemaNode[];

  /** `nodes` are schemas that may apply to the value. */
  constructor(nodes: readonly SchemaNode[]) {
    const found = new Map<string, SchemaNode>();
    for (const node of nodes) addNodes(node, found);
    this.#nodes = [...found.values()];
    this.types = new Set(this.#nodes.flatMap(({ schema }) => typesOf(schema)));
  }

  /** How many items can have a schema of their own. */
  get prefixLength(): number {
    return Math.max(0, ...this.#nodes.map(({ schema }) => (schema.prefixItems as unknown[] | undefined)?.length ?? 0));
  }

  /** Returns the shape of the items of an array, or of the item at an index. */
  items(index?: number): Shape {
    return new Shape(
      this.#nodes.flatMap((node) => {
        const { prefixItems, items } = node.schema;
        if (index !== undefined && Array.isArray(prefixItems) && index < prefixItems.length)
          return [node.at(`prefixItems/${index}`)];
        return items === undefined ? [] : [node.at("items")];
      }),
    );
  }

  /** The names of the declared properties. */
  get propertyNames(): string[] {
    return [
      ...new Set(this.#nodes.flatMap(({ schema }) => Object.keys((schema.properties as object | undefined) ?? {}))),
    ];
  }

  /** Whether it is meant for properties that are not declared: it has a schema for them, or declares none. */
  get isOpen(): boolean {
    const isFree = ({ schema }: SchemaNode) =>
      schema.patternProperties !== undefined || (schema.additionalProperties ?? false) !== false;
    const isClosed = ({ schema }: SchemaNode) => schema.additionalProperties === false;
    return this.#nodes.some(isFree) || (this.propertyNames.length === 0 && !this.#nodes.some(isClosed));
  }

  /** Returns the shape of a property. */
  property(name: string): Shape {
    const declared = this.#nodes.flatMap((node) => node.property(name));
    const matching = this.#nodes.flatMap((node) => matchingPatterns(node, name));
    if (declared.length + matching.length > 0) return new Shape([...declared, ...matching]);
    const open = this.#nodes.filter(({ schema }) => typeof schema.additionalProperties === "object");
    return new Shape(open.map((node) => node.at("additionalProperties")));
  }

  /** Returns whether the value can only be an array, or only an object. */
  isOnly(type: "array" | "object"): boolean {
    return this.types.has(type) && [...this.types].every((name) => name === type || name === "null");
  }

  /**
   * Parses a number or boolean, in its plain form only: not 0x10, 1e1 for an integer, or " 5".
   * Another text is returned unchanged, so that the validation of its type rejects it: also a number that is too large for
   * a double.
   */
  parsePrimitive(text: string): unknown {
    if (this.types.has("integer") && /^(0|-?[1-9]\d*)$/.test(text))
      return text.length > 20 ? toDouble(text) : parseInteger(text);
    if (this.types.has("number") && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return toDouble(text);
    if (this.types.has("boolean") && /^(true|false)$/.test(text)) return text === "true";
    return text;
  }
}

function toDouble(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function addNodes(node: SchemaNode, found: Map<string, SchemaNode>): void {
  for (const part of node.parts()) {
    if (found.has(part.key)) continue;
    found.set(part.key, part);
    for (const { keyword, place } of part.subschemas()) if (alternatives.has(keyword)) addNodes(part.at(place), found);
  }
}

// The schemas of `patternProperties` for a name. A pattern that is no regular expression was reported before.
function matchingPatterns(node: SchemaNode, name: string): SchemaNode[] {
  const { patternProperties } = node.schema;
  if (patternProperties === undefined || findProblem("patternProperties", patternProperties) !== undefined) return [];
  return Object.keys(patternProperties as object)
    .filter((pattern) => compilePattern(pattern).test(name))
    .map((pattern) => node.at(`patternProperties/${escapeToken(pattern)}`));
}

function typesOf({ type, enum: values, const: value, properties, items }: Readonly<Record<string, unknown>>): string[] {
  if (type !== undefined) return [type].flat() as string[];
  if (Array.isArray(values)) return values.map(typeOf);
  if (value !== undefined) return [typeOf(value)];
  if (properties !== undefined) return ["object"];
  return items === undefined ? [] : ["array"];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "integer" : typeof value;
}
