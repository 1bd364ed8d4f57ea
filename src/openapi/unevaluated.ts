// The keywords `unevaluatedProperties` and `unevaluatedItems` (JSON Schema 2020-12, section 11). Not those of Ajv, which do
// not count what `contains`, nested `items` and an `if` without `then` evaluate.
import { compilePattern } from "./regular-expressions.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Returns whether a value matches a schema, as a part of `whole`. */
export type Matches = (node: SchemaNode, value: unknown, whole?: SchemaNode) => boolean;

/** A schema, and the schema of which it is a part. */
interface Nodes {
  readonly node: SchemaNode;
  readonly whole: SchemaNode;
}

/** The property or item that violates a keyword, with the keyword. */
export interface Violation {
  readonly keyword: "unevaluatedProperties" | "unevaluatedItems";
  readonly key: string;
}

/** Returns the first property or item of a value that the schema does not allow; undefined if there is none. */
export function findUnevaluated(nodes: Nodes, value: unknown, matches: Matches): Violation | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const keyword = Array.isArray(value) ? "unevaluatedItems" : "unevaluatedProperties";
  const { node } = nodes;
  if (node.schema[keyword] === undefined) return undefined;
  const evaluated = findEvaluated(nodes, value, matches);
  const members = value as Readonly<Record<string, unknown>>;
  const key = Object.keys(value).find((name) => !evaluated.has(name) && !matches(node.at(keyword), members[name]));
  return key === undefined ? undefined : { keyword, key };
}

/** Returns the properties or items of a value that other keywords of the schema evaluate. */
export function findEvaluated({ node, whole }: Nodes, value: object, matches: Matches): ReadonlySet<string> {
  const evaluation = new Evaluation(matches, value, whole);
  evaluation.addOf(node, true);
  return evaluation.keys;
}

/** Collects the properties or items of a value that schemas evaluate. */
class Evaluation {
  readonly keys = new Set<string>();
  readonly #matches: Matches;
  readonly #value: object;
  readonly #members: readonly (readonly [key: string, value: unknown])[];
  readonly #whole: SchemaNode;
  readonly #seen = new Set<string>();

  constructor(matches: Matches, value: object, whole: SchemaNode) {
    this.#matches = matches;
    this.#value = value;
    this.#whole = whole;
    this.#members = Object.entries(value);
  }

  /** Adds what a schema and its subschemas evaluate. `isOwner` leaves out the keywords that are being validated. */
  addOf(node: SchemaNode, isOwner = false): void {
    if (this.#seen.has(node.key)) return;
    this.#seen.add(node.key);
    for (const reference of node.references()) this.addOf(reference);
    if (Array.isArray(this.#value)) this.#addItems(node, isOwner);
    else this.#addProperties(node, isOwner);
    const { if: condition } = node.schema;
    const branch = condition === undefined || this.#matchesPart(node.at("if")) ? "then" : "else";
    for (const { keyword, place, key } of node.subschemas()) {
      const isActive =
        keyword === "allOf" ||
        (keyword === "dependentSchemas" && Object.hasOwn(this.#value, key)) ||
        (keyword === "if" && branch === "then") ||
        (condition !== undefined && keyword === branch) ||
        ((keyword === "anyOf" || keyword === "oneOf") && this.#matchesPart(node.at(place)));
      if (isActive) this.addOf(node.at(place));
    }
  }

  #matchesPart(part: SchemaNode): boolean {
    return this.#matches(part, this.#value, this.#whole);
  }

  #addProperties({ schema }: SchemaNode, isOwner: boolean): void {
    const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties } = schema;
    const isOpen = additionalProperties !== undefined || (unevaluatedProperties !== undefined && !isOwner);
    const patterns = Object.keys(patternProperties as object).map((pattern) => compilePattern(pattern));
    for (const [name] of this.#members)
      if (isOpen || Object.hasOwn(properties as object, name) || patterns.some((pattern) => pattern.test(name)))
        this.keys.add(name);
  }

  #addItems(node: SchemaNode, isOwner: boolean): void {
    const { prefixItems = [], items, contains, unevaluatedItems } = node.schema;
    const isOpen = items !== undefined || (unevaluatedItems !== undefined && !isOwner);
    for (const [index, item] of this.#members)
      if (
        isOpen ||
        Number(index) < (prefixItems as unknown[]).length ||
        (contains !== undefined && this.#matches(node.at("contains"), item))
      )
        this.keys.add(index);
  }
}
