// Creates one variant of the example of a schema.
import { getOrAdd, toJson } from "../../lib/index.ts";
import { type NamedAlternatives, nameAlternatives } from "../schema/keywords/discriminator.ts";
import type { SchemaNode } from "../schema/node.ts";
import { isJson } from "../wire/media-types.ts";
import { chooseNames, createDistinct, findAdditional, isFalse, isNeverSent, listRequired } from "./example-members.ts";
import {
  ExampleCache,
  type ExampleMember,
  type ExampleOptions,
  type Json,
  type Prepared,
  type Variant,
} from "./example-options.ts";
import { chooseValue, countValues, createNumber, createText, selectType } from "./example-values.ts";

const maxDepth = 24;
const maxItems = 3; // of arrays of random length

/** The maximum cost of a variant, in values and dozens of characters. Beyond, each value is null. */
export const maxCost = 50_000;

/** Creates a value as a variant says. */
export class ExampleBuilder {
  readonly #variant: Variant;
  readonly #stack: unknown[] = []; // the schemas that are being created, with the alternatives that were chosen
  #depth = 0;
  #item = 0; // the index of the item of an array whose items differ
  #combination = 0; // whose digits vary the values of an item one by one, if those by its index repeat
  readonly #cost: { left: number };
  #random = 0; // of the value, so that all of its schemas with the same alternatives get the same one
  #member: ExampleMember | undefined; // that is being created
  #sample: unknown; // the value of the member in the example of an object
  readonly #matches: NonNullable<ExampleOptions["matches"]>;
  readonly #limits: ExampleOptions["limits"];
  readonly #cache: ExampleCache;

  constructor(variant: Variant, cost: { left: number }, options: ExampleOptions) {
    const { matches = () => true, limits, cache = new ExampleCache() } = options;
    this.#variant = variant;
    this.#cost = cost;
    this.#matches = matches;
    this.#limits = limits;
    this.#cache = cache;
  }

  /** Creates a value. `index` is its position in an array, whose items may have to differ. */
  create(node: SchemaNode, index = this.#item): unknown {
    return this.#createMerged(this.#cache.listOf(node), index);
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
    const { choice, source } = this.#variant;
    const digit = this.#nextDigit(alternatives.length);
    if (digit > 0) return alternatives[digit];
    const ends = (node: SchemaNode) => !this.#isRecursive([node]);
    const isNull = (node: SchemaNode) => node.parts().some(({ schema }) => schema.type === "null");
    const usual = alternatives.filter((node) => ends(node) && !isNull(node));
    if (source && usual.length > 0) return usual[this.#random % usual.length];
    if (choice > 0 && alternatives.length > 0) return alternatives[choice % alternatives.length];
    const [discriminated] = names?.named.values() ?? [];
    return (
      (discriminated && ends(discriminated) ? discriminated : undefined) ??
      usual[0] ??
      alternatives.find(ends) ??
      alternatives[0]
    );
  }

  #isRecursive(nodes: readonly SchemaNode[]): boolean {
    return nodes.some((node) => node.parts().some(({ raw }) => this.#stack.includes(raw)));
  }

  #createFrom(
    nodes: readonly SchemaNode[],
    prepared: Prepared,
    position: number,
    named: ReadonlyMap<string, unknown>,
  ): unknown {
    if (--this.#cost.left < 0) return null;
    const { parts, merged } = prepared;
    const values = merged.enum as unknown[] | undefined;
    if (merged.const !== undefined && values?.includes(merged.const) !== false) return merged.const;
    const type = selectType(merged, this.#variant.choice);
    const isVaried = this.#combination > 0;
    const { source } = this.#variant;
    // The choice, so that the value of each variant differs.
    const index = position + this.#variant.choice + this.#random + this.#nextDigit(countValues(merged, type));
    if (source?.valuesOf && this.#member) {
      const sample = values || /object|array/.test(type) ? undefined : this.#findExample(parts, index);
      for (const value of source.valuesOf(this.#member, { ...merged, type }, sample))
        if (value === undefined || nodes.every((node) => this.#matches(node, value))) return value;
    }
    if (values && values.length > 0) return chooseValue(values, index, isVaried);
    const example = this.#variant.hasExamples ? this.#findExample(parts, index) : undefined;
    if (example !== undefined) return example;
    switch (type) {
      case "object":
        return this.#createObject(prepared, named);
      case "array":
        return this.#createArray(prepared);
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
      const own = examples[index % Math.max(examples.length, 1)];
      const candidates = [own, schema.example, this.#sample, schema.default];
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
    const text = isJsonText
      ? toJson(this.#createMerged(contents))
      : createText(merged, index, this.#variant.source?.random);
    this.#cost.left -= Math.floor(text.length / 20) + (merged.pattern === undefined ? 0 : 10);
    return text;
  }

  #createObject(prepared: Prepared, named: ReadonlyMap<string, unknown>): Record<string, unknown> {
    const { parts, merged, members } = prepared;
    const required = listRequired(parts, this.#variant.isFull);
    const entries: [string, unknown][] = [];
    const [owner, sample] = [this.#member, Object(this.#exampleOf(parts)) as Json];
    const names = new Set([
      ...parts.flatMap(({ schema }) => Object.keys((schema.properties ?? {}) as Json)),
      ...required,
    ]);
    for (const name of names) {
      const properties = getOrAdd(members, name, () => this.#findMember(parts, name));
      if (properties.some((property) => property.parts().some(isNeverSent))) continue;
      const isRecursive = this.#isRecursive(properties);
      if (!required.has(name) && (!this.#variant.isFull || isRecursive || this.#depth > maxDepth / 3)) continue;
      if (this.#depth > maxDepth) continue;
      this.#member = { name, isRequired: required.has(name), object: entries, owner };
      this.#sample = sample[name];
      const value = named.get(name) ?? this.#createMerged(properties);
      if (value !== undefined) entries.push([name, value]);
    }
    [this.#member, this.#sample] = [owner, undefined];
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

  #findMember(parts: readonly SchemaNode[], name: string): SchemaNode[] {
    const declared = new Map(parts.flatMap((part) => part.property(name)).map((node) => [node.raw, node]));
    const own = declared.size > 0 ? declared.values() : findAdditional(parts, name);
    return [...own, ...((this.#depth === 1 && this.#limits?.(name)) || [])];
  }

  // The value that several schemas describe.
  #createMerged(nodes: readonly SchemaNode[], index = this.#item): unknown {
    const outer = this.#stack.length;
    this.#stack.push(...nodes.map(({ raw }) => raw));
    const named = new Map<string, unknown>();
    this.#random = this.#variant.source?.random(1_000) ?? 0;
    const prepared = this.#cache.prepare(nodes, () => nodes.flatMap((node) => this.#chooseParts(node, named)));
    this.#stack.push(...prepared.parts.map(({ raw }) => raw));
    this.#depth += 1;
    const value = this.#createFrom(nodes, prepared, index, named);
    this.#depth -= 1;
    this.#stack.length = outer;
    return value;
  }

  #createArray(prepared: Prepared): unknown[] {
    const { parts, merged } = prepared;
    const prefix = parts.flatMap((part) =>
      ((part.schema.prefixItems as unknown[] | undefined) ?? []).map((_, index) => part.at("prefixItems", index)),
    );
    prepared.items ??= parts.flatMap((part) => {
      const keyword = ["items", "unevaluatedItems"].find((key) => part.schema[key] !== undefined);
      return keyword === undefined ? [] : [part.at(keyword)];
    });
    const { items } = prepared;
    const contains = parts.filter(({ schema }) => schema.contains !== undefined).map((part) => part.at("contains"));
    const isRecursive = this.#isRecursive(items);
    const isEmpty =
      !this.#variant.isFull || isRecursive || items.some(({ schema }) => isFalse(schema)) || this.#depth > maxDepth / 2;
    const minContains = contains.length > 0 ? Number(merged.minContains ?? 1) : 0;
    const min = Math.max(Number(merged.minItems ?? 0), minContains);
    const { source } = this.#variant;
    const usual = source && this.#depth < maxDepth / 4 ? 1 + source.random(maxItems) : 1;
    const count = Math.min(
      Math.max(min, isEmpty ? 0 : usual),
      Number(merged.maxItems ?? Number.POSITIVE_INFINITY),
      maxCost,
    );
    if (this.#depth > maxDepth) return [];
    const samples = [this.#exampleOf(parts) ?? []].flat();
    this.#member &&= { ...this.#member, isRequired: true };
    const create = (_: unknown, index: number) => {
      this.#sample = samples[index % samples.length];
      const own = prefix[index];
      if (own) return this.create(own, index);
      return this.#createMerged(
        contains.length > 0 && (index - prefix.length < minContains || items.length === 0)
          ? [...contains, ...items]
          : items,
        index,
      );
    };
    const length = Math.max(count, isEmpty ? 0 : prefix.length);
    const created = merged.uniqueItems === true ? this.#createUnique(length, create) : Array.from({ length }, create);
    const distinct = [...new Set(created)];
    return source && distinct.length >= min && prefix.length === 0 ? distinct : created;
  }

  // The example of an object or array, which may not match: its parts are samples.
  #exampleOf(parts: readonly SchemaNode[]): unknown {
    const found = parts.flatMap(({ schema }) => [[schema.examples ?? []].flat()[0], schema.example, schema.default]);
    return found.find((value) => value !== undefined) ?? this.#sample;
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
