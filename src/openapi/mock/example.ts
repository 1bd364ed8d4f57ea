// Creates values from schemas, for mock responses. Not openapi-sampler, whose values are often not valid: it ignores
// patterns, unevaluated properties, and alternatives that exclude each other.

import { toJson } from "../../lib/index.ts";
import { type NamedAlternatives, nameAlternatives } from "../schema/keywords/discriminator.ts";
import type { SchemaNode } from "../schema/node.ts";
import { isJson } from "../wire/media-types.ts";
import { chooseNames, createDistinct, findAdditional, listRequired } from "./example-members.ts";
import { countValues, createNumber, createText, mergeKeywords, selectType } from "./example-values.ts";

const maxDepth = 24;
const maxCost = 50_000; // of a variant, in values and dozens of characters; beyond, each value is null
const maxRandomCost = 5_000;

/** How a value is created. If it is not valid, another variant may be. */
interface Variant {
  /** Uses the examples of the schemas. */
  readonly hasExamples: boolean;
  /** Adds properties and items that are not required. */
  readonly isFull: boolean;
  /** Which alternative of `oneOf` and `anyOf` is used. */
  readonly choice: number;
  /** Whether values are random. */
  readonly isRandom?: boolean;
}

const variants: readonly Variant[] = [
  { hasExamples: true, isFull: true, choice: 0 },
  { hasExamples: false, isFull: true, choice: 0 },
  { hasExamples: true, isFull: false, choice: 0 },
  { hasExamples: false, isFull: false, choice: 0 },
  ...[1, 2, 3, 4, 5].map((choice) => ({ hasExamples: false, isFull: false, choice })),
];

const randomVariants: readonly Variant[] = Array.from({ length: 5 }, (_, choice) => {
  return { hasExamples: false, isFull: true, choice, isRandom: true };
});

export interface ExampleOptions {
  readonly isRandom?: boolean | undefined;
  /** Returns whether an example matches its schema. By default, all do. */
  readonly matches?: (node: SchemaNode, value: unknown) => boolean;
}

/**
 * Creates a value from a schema. Returns the first that `isValid` accepts, or else any. With `isRandom`, it differs from call to
 * call, if it can.
 */
export function createExample(
  node: SchemaNode,
  isValid: (value: unknown) => boolean,
  options: ExampleOptions = {},
): unknown {
  const { isRandom = false, matches = () => true } = options;
  const values: unknown[] = [];
  for (const variant of isRandom ? [...randomVariants, ...variants] : variants) {
    const cost = { left: isRandom ? maxRandomCost : maxCost };
    const value = new ExampleBuilder(variant, cost, matches).create(node);
    if (isValid(value)) return value;
    values.push(value);
  }
  return values[0];
}

type Json = Readonly<Record<string, unknown>>;

class ExampleBuilder {
  readonly #variant: Variant;
  readonly #stack: unknown[] = []; // the schemas that are being created, with the alternatives that were chosen
  #depth = 0;
  #item = 0; // the index of the item of an array whose items differ
  #combination = 0; // whose digits vary the values of an item one by one, if those by its index repeat
  readonly #cost: { left: number };
  readonly #matches: NonNullable<ExampleOptions["matches"]>;

  constructor(variant: Variant, cost: { left: number }, matches: NonNullable<ExampleOptions["matches"]>) {
    this.#variant = variant;
    this.#cost = cost;
    this.#matches = matches;
  }

  /** Creates a value. `index` is its position in an array, whose items may have to differ. */
  create(node: SchemaNode, index = this.#item): unknown {
    return this.#createMerged([node], index);
  }

  // The schemas that apply to the value, with one alternative of each choice. `named` gets the properties by which discriminators
  // select them.
  #chooseParts(node: SchemaNode, named: Map<string, unknown>, found = new Map<unknown, SchemaNode>()): SchemaNode[] {
    for (const part of node.parts()) {
      if (found.has(part.raw)) continue;
      found.set(part.raw, part);
      for (const keyword of ["oneOf", "anyOf"]) {
        const alternatives = part.childrenOf(keyword).map((child) => child.node);
        const names = nameAlternatives(part, alternatives);
        const chosen = this.#choose(alternatives, names);
        if (chosen === undefined) continue;
        const [name] = [...(names?.named ?? [])].find(([, alternative]) => alternative === chosen) ?? [];
        if (names && name !== undefined) named.set(names.property, name);
        this.#chooseParts(chosen, named, found);
      }
      if (part.schema.if !== undefined && part.schema.then !== undefined)
        this.#chooseParts(part.at("then"), named, found);
    }
    return [...found.values()];
  }

  // Prefers an alternative that ends a recursion and is not null.
  #choose(alternatives: readonly SchemaNode[], names: NamedAlternatives | undefined): SchemaNode | undefined {
    const { choice, isRandom } = this.#variant;
    const digit = this.#nextDigit(alternatives.length);
    if (digit > 0) return alternatives[digit];
    if (isRandom && this.#depth < maxDepth / 3) return alternatives[randomInteger(alternatives.length)];
    if (choice > 0 && alternatives.length > 0) return alternatives[choice % alternatives.length];
    const [discriminated] = names?.named.values() ?? [];
    const ends = (node: SchemaNode) => !this.#isRecursive([node]);
    const isNull = (node: SchemaNode) => node.parts().some(({ schema }) => schema.type === "null");
    return (
      (discriminated && ends(discriminated) ? discriminated : undefined) ??
      alternatives.find((node) => ends(node) && !isNull(node)) ??
      alternatives.find(ends) ??
      alternatives[0]
    );
  }

  #isRecursive(nodes: readonly SchemaNode[]): boolean {
    return nodes.some((node) => node.parts().some(({ raw }) => this.#stack.includes(raw)));
  }

  #createFrom(parts: readonly SchemaNode[], position: number, named: ReadonlyMap<string, unknown>): unknown {
    if (--this.#cost.left < 0) return null;
    const merged = mergeKeywords(parts);
    const values = merged.enum as unknown[] | undefined;
    if (merged.const !== undefined && values?.includes(merged.const) !== false) return merged.const;
    const type = selectType(merged, this.#variant.choice);
    const isVaried = this.#combination > 0;
    // So that the value of each variant differs.
    const random = this.#variant.isRandom ? randomInteger(1_000) : 0;
    const index = position + this.#variant.choice + random + this.#nextDigit(countValues(merged, type));
    if (values && values.length > 0) return chooseValue(values, index, isVaried);
    const example = this.#variant.hasExamples ? this.#findExample(parts, index) : undefined;
    if (example !== undefined) return example;
    switch (type) {
      case "object":
        return this.#createObject(parts, merged, named);
      case "array":
        return this.#createArray(parts, merged);
      case "integer":
      case "number":
        return createNumber(merged, index);
      case "boolean":
        return index % 2 === 0;
      case "null":
        return null;
      default:
        return this.#createText(parts, merged, index);
    }
  }

  // The first that all schemas of the value accept.
  #findExample(parts: readonly SchemaNode[], index: number): unknown {
    for (const { schema } of parts) {
      const examples = Array.isArray(schema.examples) ? schema.examples : [];
      const candidates = [examples[index % Math.max(examples.length, 1)], schema.example, schema.default];
      const isValid = (value: unknown) => value !== undefined && parts.every((part) => this.#matches(part, value));
      const found = candidates.find(isValid);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #createText(parts: readonly SchemaNode[], merged: Json, index: number): string {
    const contents = parts.flatMap((part) => (part.schema.contentSchema === undefined ? [] : part.at("contentSchema")));
    // A text in itself would double its escapes with each level.
    const isJsonText = contents.length > 0 && isJson(`${merged.contentMediaType}`) && !this.#isRecursive(contents);
    const text = isJsonText ? toJson(this.#createMerged(contents)) : createText(merged, index);
    this.#cost.left -= Math.floor(text.length / 20) + (merged.pattern === undefined ? 0 : 10);
    return text;
  }

  #createObject(
    parts: readonly SchemaNode[],
    merged: Json,
    named: ReadonlyMap<string, unknown>,
  ): Record<string, unknown> {
    const required = listRequired(parts, this.#variant.isFull);
    const entries: [string, unknown][] = [];
    const names = new Set([
      ...parts.flatMap(({ schema }) => Object.keys((schema.properties ?? {}) as Json)),
      ...required,
    ]);
    for (const name of names) {
      const properties = [
        ...new Map(parts.flatMap((part) => part.property(name)).map((node) => [node.raw, node])).values(),
      ];
      if (properties.some((property) => property.parts().some(isNeverSent))) continue;
      const isRecursive = this.#isRecursive(properties);
      if (!required.has(name) && (!this.#variant.isFull || isRecursive || this.#depth > maxDepth / 3)) continue;
      if (this.#depth > maxDepth) continue;
      if (properties.length === 0) properties.push(...findAdditional(parts, name));
      entries.push([name, named.get(name) ?? this.#createMerged(properties)]);
    }
    const min = Number(merged.minProperties ?? 0);
    const createName = chooseNames(parts);
    const additional = findAdditional(parts, createName(1));
    const hasAdditional = names.size === 0 && additional.length > 0 && !this.#isRecursive(additional);
    const count = this.#variant.isFull && hasAdditional ? Math.max(min, 1) : min;
    for (let number = 1; entries.length < count && number <= 100; number++) {
      const name = createName(number);
      if (names.has(name)) continue;
      names.add(name);
      entries.push([name, this.#createMerged(findAdditional(parts, name))]);
    }
    const max = Number(merged.maxProperties ?? Number.POSITIVE_INFINITY);
    if (entries.length > max) entries.sort(([one], [other]) => Number(required.has(other)) - Number(required.has(one)));
    return Object.fromEntries(entries.slice(0, max));
  }

  // The value that several schemas describe.
  #createMerged(nodes: readonly SchemaNode[], index = this.#item): unknown {
    const outer = this.#stack.length;
    this.#stack.push(...nodes.map(({ raw }) => raw));
    const named = new Map<string, unknown>();
    const parts = nodes.flatMap((node) => this.#chooseParts(node, named));
    this.#stack.push(...parts.map(({ raw }) => raw));
    this.#depth += 1;
    const value = this.#createFrom(parts, index, named);
    this.#depth -= 1;
    this.#stack.length = outer;
    return value;
  }

  #createArray(parts: readonly SchemaNode[], merged: Json): unknown[] {
    const prefix = parts.flatMap((part) =>
      ((part.schema.prefixItems as unknown[] | undefined) ?? []).map((_, index) => part.at("prefixItems", index)),
    );
    const items = parts.flatMap((part) => {
      const keyword = ["items", "unevaluatedItems"].find((key) => part.schema[key] !== undefined);
      return keyword === undefined ? [] : [part.at(keyword)];
    });
    const contains = parts.filter(({ schema }) => schema.contains !== undefined).map((part) => part.at("contains"));
    const isRecursive = this.#isRecursive(items);
    const isEmpty =
      !this.#variant.isFull || isRecursive || items.some(({ schema }) => isFalse(schema)) || this.#depth > maxDepth / 2;
    const minContains = contains.length > 0 ? Number(merged.minContains ?? 1) : 0;
    const min = Math.max(Number(merged.minItems ?? 0), minContains);
    const count = Math.min(
      Math.max(min, isEmpty ? 0 : 1),
      Number(merged.maxItems ?? Number.POSITIVE_INFINITY),
      maxCost,
    );
    if (this.#depth > maxDepth) return [];
    const create = (_: unknown, index: number) => {
      const own = prefix[index];
      if (own) return this.create(own, index);
      return this.#createMerged(
        index - prefix.length < minContains || items.length === 0 ? [...contains, ...items] : items,
        index,
      );
    };
    const length = Math.max(count, isEmpty ? 0 : prefix.length);
    return merged.uniqueItems === true ? this.#createUnique(length, create) : Array.from({ length }, create);
  }

  #createUnique(length: number, create: (_: unknown, index: number) => unknown): unknown[] {
    const [outer, isOutermost] = [this.#item, this.#combination === 0];
    const created = createDistinct(length, (index, attempt) => {
      this.#item = index; // also in the members of the item
      this.#combination = attempt + (isOutermost ? 0 : this.#combination);
      return this.#cost.left < 0 ? null : create(undefined, index);
    });
    this.#item = outer;
    if (isOutermost) this.#combination = 0;
    return created;
  }

  // The next digit of the combination, which selects one of several values.
  #nextDigit(count: number): number {
    const digit = this.#combination % Math.max(count, 1);
    this.#combination = Math.floor(this.#combination / Math.max(count, 1));
    return digit;
  }
}

function isNeverSent({ schema }: SchemaNode): boolean {
  return schema.writeOnly === true || isFalse(schema);
}

function isFalse(schema: Json): boolean {
  return Array.isArray(schema.enum) && schema.enum.length === 0;
}

function chooseValue(values: readonly unknown[], index: number, isVaried: boolean): unknown {
  const others = values.filter((value) => isVaried || value !== null);
  return others.length > 0 ? others[index % others.length] : values[0];
}

function randomInteger(count: number): number {
  return Math.floor(Math.random() * count);
}
