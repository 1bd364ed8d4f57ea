// The types that a schema allows, as far as they tell how to read a text: a parameter, or the field of a form.

import { parseInteger } from "../../lib/index.ts";
import type { SchemaObject } from "../source/document-types.ts";
import { possiblePartsOf, type SchemaNode } from "./node.ts";

const fixedFormats = /^(date|date-time|time|uuid|ipv4|ipv6)$/; // of texts without a comma

/** Returns whether a value matches a schema. */
export type Matches = (node: SchemaNode, value: unknown) => boolean;

/** The shape of the values of a schema, of all its alternatives together. */
export class Shape {
  /** The types of JSON Schema. Empty if any type is allowed. */
  readonly types: ReadonlySet<string>;
  readonly #starts: readonly SchemaNode[];
  readonly #nodes: readonly SchemaNode[];
  readonly #matches: Matches;
  readonly #prefersText: boolean;

  /** `nodes` are schemas that may apply to the value. */
  constructor(nodes: readonly SchemaNode[], matches: Matches, prefersText = false) {
    this.#prefersText = prefersText;
    this.#starts = nodes;
    this.#nodes = possiblePartsOf(nodes);
    this.#matches = matches;
    this.types = new Set(this.#nodes.flatMap(({ schema }) => typesOf(schema)));
  }

  /** The shape of any value. */
  static readonly any = new Shape([], () => true);

  #of(nodes: readonly SchemaNode[]): Shape {
    return new Shape(nodes, this.#matches, this.#prefersText);
  }

  /** The same shape, which reads a text as such wherever it is allowed. Another member can tell that this is what is meant. */
  get asTexts(): Shape {
    return new Shape(this.#starts, this.#matches, true);
  }

  /** Whether a member can have other types than the values of the other members allow. */
  get hasUnions(): boolean {
    return (
      this.types.has("object") &&
      this.#nodes.some(({ schema }) => schema.oneOf !== undefined || schema.anyOf !== undefined)
    );
  }

  /** How many items can have a schema of their own. */
  get prefixLength(): number {
    return Math.max(0, ...this.#nodes.map(({ schema }) => (schema.prefixItems as unknown[] | undefined)?.length ?? 0));
  }

  /** Returns the shape of the items of an array, or of the item at an index. */
  items(index = Number.POSITIVE_INFINITY): Shape {
    return this.#of(this.#nodes.flatMap((node) => node.item(index) ?? []));
  }

  /** The names of the declared properties. */
  get propertyNames(): string[] {
    return [...new Set(this.#nodes.flatMap(({ schema }) => Object.keys((schema.properties ?? {}) as object)))];
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
    return this.#of(this.#nodes.flatMap((node) => node.property(name)));
  }

  /** Returns whether no value has this character, so that `text`, which has it, is several: of numbers, listed texts, and dates. */
  excludes(character: string, text: string): boolean {
    if (this.types.size === 0 || this.types.has("array") || this.types.has("object")) return false;
    if (!this.types.has("string")) return true;
    const isFixed = ({ schema }: SchemaNode) =>
      schema.enum !== undefined || schema.const !== undefined || fixedFormats.test(`${schema.format}`);
    const lists = this.#nodes.flatMap(({ schema }) => [schema.enum ?? [], schema.const ?? []].flat());
    const isFree = this.#starts.some((node) => this.#matches(node, text)); // by another alternative
    return this.#nodes.some(isFixed) && !lists.some((value) => `${value}`.includes(character)) && !isFree;
  }

  /** Whether the value can be bytes that are no text. */
  get isBinary(): boolean {
    return this.#nodes.some(({ schema }) => isBinarySchema(schema));
  }

  /** Returns whether the value can only be an array, or only an object. */
  isOnly(type: "array" | "object"): boolean {
    return this.types.has(type) && [...this.types].every((name) => name === type || name === "null");
  }

  /**
   * Parses a number or boolean, in its plain form only: not 0x10, 1e1 for an integer, or " 5".
   * Another text is returned unchanged, so that the validation of its type rejects it: also a number that is too large for
   * a double. If the schema also allows texts, returns the reading that it describes.
   */
  parsePrimitive(text: string): unknown {
    return this.choose(this.#parseTyped(text), text);
  }

  #parseTyped(text: string): unknown {
    if (this.types.has("integer") && /^(0|-?[1-9]\d*)$/.test(text))
      return text.length > 20 ? toDouble(text) : parseInteger(text);
    if (this.types.has("number") && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return toDouble(text);
    if (this.types.has("boolean") && /^(true|false)$/.test(text)) return text === "true";
    return text;
  }

  /** Returns the text instead of the value that was read from it, if the schema describes the text, and not the value. */
  choose(value: unknown, text: string): unknown {
    if (typeof value === "string" || !this.types.has("string")) return value;
    if (this.#prefersText) return text;
    const matches = (reading: unknown) => this.#starts.some((node) => this.#matches(node, reading));
    return !matches(value) && matches(text) ? text : value;
  }
}

/** Returns whether a schema describes bytes that are no text. */
export function isBinarySchema({ format, contentMediaType, contentEncoding }: SchemaObject): boolean {
  return format === "binary" || (contentMediaType !== undefined && contentEncoding === undefined);
}

function toDouble(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function typesOf({ type, enum: values, const: value, properties, items }: SchemaObject): string[] {
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
