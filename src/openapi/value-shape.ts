// The types that a schema allows, as far as they tell how to read a text: a parameter, or the field of a form.
import { parseInteger } from "../lib/index.ts";
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

  /** Returns the shape of the items of an array. */
  items(): Shape {
    return new Shape(this.#nodes.flatMap((node) => (node.schema.items === undefined ? [] : [node.at("items")])));
  }

  /** The names of the declared properties. */
  get propertyNames(): string[] {
    return [
      ...new Set(this.#nodes.flatMap(({ schema }) => Object.keys((schema.properties as object | undefined) ?? {}))),
    ];
  }

  /** Whether it has a schema for properties that are not declared. */
  get isOpen(): boolean {
    return this.#nodes.some(({ schema }) => ![undefined, false].includes(schema.additionalProperties as undefined));
  }

  /** Returns the shape of a property. */
  property(name: string): Shape {
    const declared = this.#nodes.flatMap((node) => node.property(name));
    if (declared.length > 0) return new Shape(declared);
    const open = this.#nodes.filter(({ schema }) => typeof schema.additionalProperties === "object");
    return new Shape(open.map((node) => node.at("additionalProperties")));
  }

  /** Returns whether the value can only be an array, or only an object. */
  isOnly(type: "array" | "object"): boolean {
    return this.types.has(type) && [...this.types].every((name) => name === type || name === "null");
  }

  /**
   * Returns the number or boolean that a text stands for, in its plain form only: not 0x10, 1e1 for an integer, or " 5".
   * Another text is returned unchanged, so that the validation of its type rejects it.
   */
  parsePrimitive(text: string): unknown {
    if (this.types.has("integer") && /^(0|-?[1-9]\d*)$/.test(text))
      return text.length > 20 ? Number(text) : parseInteger(text);
    if (this.types.has("number") && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
    if (this.types.has("boolean") && /^(true|false)$/.test(text)) return text === "true";
    return text;
  }
}

function addNodes(node: SchemaNode, found: Map<string, SchemaNode>): void {
  for (const part of node.parts()) {
    if (found.has(part.key)) continue;
    found.set(part.key, part);
    for (const { keyword, place } of part.subschemas()) if (alternatives.has(keyword)) addNodes(part.at(place), found);
  }
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
