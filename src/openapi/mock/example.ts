// Creates values from schemas, for mock responses. Not openapi-sampler, whose values are often not valid: it ignores
// patterns, unevaluated properties, and alternatives that exclude each other.

import type { SchemaNode } from "../schema/index.ts";
import { createNumber, createText, mergeKeywords, selectType } from "./example-values.ts";
import { samplePattern } from "./sample-text.ts";

const maxDepth = 24;
const maxCost = 20_000; // of all variants together, in values and hundreds of characters; beyond, each value is null

/** How a value is created. If it is not valid, another variant may be. */
interface Variant {
  /** Uses the examples of the schemas. */
  readonly hasExamples: boolean;
  /** Adds properties and items that are not required. */
  readonly isFull: boolean;
  /** Which alternative of `oneOf` and `anyOf` is used. */
  readonly choice: number;
}

const variants: readonly Variant[] = [
  { hasExamples: true, isFull: true, choice: 0 },
  { hasExamples: false, isFull: true, choice: 0 },
  { hasExamples: true, isFull: false, choice: 0 },
  { hasExamples: false, isFull: false, choice: 0 },
  ...[1, 2, 3, 4, 5].map((choice) => ({ hasExamples: false, isFull: false, choice })),
];

/** Creates a value from a schema. Returns the first that `isValid` accepts, or else any. */
export function createExample(node: SchemaNode, isValid: (value: unknown) => boolean): unknown {
  const cost = { left: maxCost };
  const values: unknown[] = [];
  for (const variant of variants) {
    const value = new ExampleBuilder(variant, cost).create(node);
    if (isValid(value)) return value;
    values.push(value);
    if (cost.left < 0) break;
  }
  return values[0];
}

type Json = Readonly<Record<string, unknown>>;

class ExampleBuilder {
  readonly #variant: Variant;
  readonly #stack: unknown[] = []; // the schemas that are being created
  readonly #cost: { left: number };

  constructor(variant: Variant, cost: { left: number }) {
    this.#variant = variant;
    this.#cost = cost;
  }

  /** Creates a value. `index` is its position in an array, whose items may have to differ. */
  create(node: SchemaNode, index = 0): unknown {
    this.#stack.push(node.raw);
    try {
      return this.#createFrom(this.#chooseParts(node), index);
    } finally {
      this.#stack.pop();
    }
  }

  // The schemas that apply to the value, with one alternative of each choice.
  #chooseParts(node: SchemaNode, found = new Map<unknown, SchemaNode>()): SchemaNode[] {
    for (const part of node.parts()) {
      if (found.has(part.raw)) continue;
      found.set(part.raw, part);
      for (const keyword of ["oneOf", "anyOf"]) {
        const alternatives = part.childrenOf(keyword).map((child) => child.node);
        const chosen = this.#choose(part, alternatives);
        if (chosen) this.#chooseParts(chosen, found);
      }
      if (part.schema.if !== undefined && part.schema.then !== undefined) this.#chooseParts(part.at("then"), found);
    }
    return [...found.values()];
  }

  // Prefers an alternative that ends a recursion and is not null.
  #choose(part: SchemaNode, alternatives: readonly SchemaNode[]): SchemaNode | undefined {
    const { choice } = this.#variant;
    if (choice > 0 && alternatives.length > 0) return alternatives[choice % alternatives.length];
    const discriminated = findDiscriminated(part, alternatives);
    const ends = (node: SchemaNode) => !this.#isRecursive([node]);
    const isNull = (node: SchemaNode) => node.parts().some(({ schema }) => schema.type === "null");
    return (
      discriminated ??
      alternatives.find((node) => ends(node) && !isNull(node)) ??
      alternatives.find(ends) ??
      alternatives[0]
    );
  }

  #isRecursive(nodes: readonly SchemaNode[]): boolean {
    return nodes.some((node) => node.parts().some(({ raw }) => this.#stack.includes(raw)));
  }

  #createFrom(parts: readonly SchemaNode[], position: number): unknown {
    if (--this.#cost.left < 0) return null;
    const index = position + this.#variant.choice; // so that the value of each variant differs
    const merged = mergeKeywords(parts);
    const values = merged.enum as unknown[] | undefined;
    if (merged.const !== undefined && values?.includes(merged.const) !== false) return merged.const;
    if (values && values.length > 0)
      return values.filter((value) => value !== null)[index % values.length] ?? values[0];
    const example = this.#variant.hasExamples ? findExample(parts, index) : undefined;
    if (example !== undefined) return example;
    switch (selectType(merged)) {
      case "object":
        return this.#createObject(parts, merged);
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
        return this.#createText(merged, index);
    }
  }

  #createText(merged: Json, index: number): string {
    const text = createText(merged, index);
    this.#cost.left -= Math.floor(text.length / 100);
    return text;
  }

  #createObject(parts: readonly SchemaNode[], merged: Json): Record<string, unknown> {
    const required = new Set(parts.flatMap(({ schema }) => (schema.required as string[] | undefined) ?? []));
    const entries: [string, unknown][] = [];
    const names = new Set([
      ...parts.flatMap(({ schema }) => Object.keys((schema.properties ?? {}) as Json)),
      ...required,
    ]);
    for (const name of names) {
      const properties = [
        ...new Map(parts.flatMap((part) => part.property(name)).map((node) => [node.raw, node])).values(),
      ];
      if (
        properties.some((property) =>
          property.parts().some(({ schema }) => schema.writeOnly === true || isFalse(schema)),
        )
      )
        continue;
      const isRecursive = this.#isRecursive(properties);
      if (!required.has(name) && (!this.#variant.isFull || isRecursive || this.#stack.length > maxDepth / 3)) continue;
      if (this.#stack.length > maxDepth) continue;
      if (properties.length === 0) properties.push(...findAdditional(parts, name));
      entries.push([name, this.#createMerged(properties)]);
    }
    const min = Number(merged.minProperties ?? 0);
    const createName = chooseNames(parts);
    const additional = findAdditional(parts, createName(1));
    const hasAdditional = names.size === 0 && additional.length > 0 && !this.#isRecursive(additional);
    const count = this.#variant.isFull && hasAdditional ? Math.max(min, 1) : min;
    for (let number = 1; entries.length < count && number <= 100; number++) {
      const name = createName(number);
      if (!names.has(name)) entries.push([name, this.#createMerged(findAdditional(parts, name))]);
    }
    const max = Number(merged.maxProperties ?? Number.POSITIVE_INFINITY);
    if (entries.length > max) entries.sort(([one], [other]) => Number(required.has(other)) - Number(required.has(one)));
    return Object.fromEntries(entries.slice(0, max));
  }

  // The value of a property that several schemas declare.
  #createMerged(nodes: readonly SchemaNode[], index = 0): unknown {
    const [first] = nodes;
    if (nodes.length === 1 && first) return this.create(first, index);
    const keys = nodes.map(({ raw }) => raw);
    this.#stack.push(...keys);
    try {
      return this.#createFrom(
        nodes.flatMap((node) => this.#chooseParts(node)),
        index,
      );
    } finally {
      this.#stack.length -= keys.length;
    }
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
      !this.#variant.isFull ||
      isRecursive ||
      items.some(({ schema }) => isFalse(schema)) ||
      this.#stack.length > maxDepth / 2;
    const minContains = contains.length > 0 ? Number(merged.minContains ?? 1) : 0;
    const min = Math.max(Number(merged.minItems ?? 0), minContains);
    const count = Math.min(
      Math.max(min, isEmpty ? 0 : 1),
      Number(merged.maxItems ?? Number.POSITIVE_INFINITY),
      maxCost,
    );
    if (this.#stack.length > maxDepth) return [];
    return Array.from({ length: Math.max(count, isEmpty ? 0 : prefix.length) }, (_, index) => {
      const own = prefix[index];
      if (own) return this.create(own, index);
      return this.#createMerged(
        index - prefix.length < minContains || items.length === 0 ? [...contains, ...items] : items,
        index,
      );
    });
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isFalse(schema: Json): boolean {
  return Array.isArray(schema.enum) && schema.enum.length === 0;
}

// Returns a function that creates the names of further properties: by `propertyNames`, or by the first pattern if others are
// not allowed.
function chooseNames(parts: readonly SchemaNode[]): (number: number) => string {
  const rules = parts.flatMap((part) =>
    part.schema.propertyNames === undefined ? [] : part.at("propertyNames").parts(),
  );
  const { enum: names, pattern: rule } = mergeKeywords(rules);
  if (Array.isArray(names)) return (number) => `${names[(number - 1) % names.length]}`;
  const isClosed = parts.some(({ schema }) => schema.additionalProperties === false);
  const [first] = parts.flatMap(({ schema }) => Object.keys((schema.patternProperties ?? {}) as Json));
  const pattern = (rule as string | undefined) ?? (isClosed ? first : undefined);
  const shortest = pattern === undefined ? undefined : samplePattern(pattern, 0, Number.POSITIVE_INFINITY);
  if (pattern === undefined || shortest === undefined) return (number) => `property${number}`;
  return (number) => samplePattern(pattern, shortest.length + number - 1, Number.POSITIVE_INFINITY) as string;
}

function findAdditional(parts: readonly SchemaNode[], name: string): SchemaNode[] {
  return parts.flatMap((part) => {
    const [property] = part.property(name);
    if (property) return [property];
    return isObject(part.schema.unevaluatedProperties) ? [part.at("unevaluatedProperties")] : [];
  });
}

// The alternative to which the first name of the mapping leads.
function findDiscriminated({ schema }: SchemaNode, alternatives: readonly SchemaNode[]): SchemaNode | undefined {
  const { mapping = {} } = (schema.discriminator ?? {}) as { readonly mapping?: Readonly<Record<string, string>> };
  const [reference] = Object.values(mapping);
  return alternatives.find((alternative) => alternative.schema.$ref === reference && reference !== undefined);
}

function findExample(parts: readonly SchemaNode[], index: number): unknown {
  for (const { schema } of parts) {
    const examples = Array.isArray(schema.examples) ? schema.examples : [];
    const found = examples[index % Math.max(examples.length, 1)] ?? schema.example ?? schema.default;
    if (found !== undefined) return found;
  }
  return undefined;
}
