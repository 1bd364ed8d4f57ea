// What a schema says as a whole, with those behind its references and `allOf`: schemas with the same meaning have the same view,
// however they are written.
import { isObject, toJson } from "../lib/index.ts";
import type { SchemaNode, SchemaObject } from "../openapi/index.ts";
import { limits } from "./keywords.ts";

/** The values that a schema allows, and what it says about them. */
export interface View {
  /** The JSON pointer of the schema; undefined if there is none. */
  readonly pointer: string | undefined;
  /** `number` are those that are no integers. All types if any value is allowed. */
  types: ReadonlySet<string>;
  /** Those of the schema apart from its unions. */
  ownTypes: ReadonlySet<string>;
  /** The values of `enum` or `const`, by their JSON text. */
  values: ReadonlyMap<string, unknown> | undefined;
  /** The limits, as keywords.ts has them. */
  readonly limits: Map<string, unknown>;
  readonly properties: Map<string, SchemaNode[]>;
  readonly required: Set<string>;
  readonly items: SchemaNode[];
  readonly prefixItems: SchemaNode[][];
  /** The schemas of other properties. */
  readonly additional: SchemaNode[];
  /** Whether other properties are forbidden. */
  isClosed: boolean;
  /** The alternatives of `oneOf` and `anyOf`. */
  readonly unions: SchemaNode[][];
  /** The schemas of keywords that no rule rates, by keyword and name. */
  readonly conditions: Map<string, SchemaNode[]>;
  /** The values of all other keywords: the first one of each. */
  readonly annotations: Map<string, unknown>;
  /** The JSON pointers of the schemas that have a keyword. */
  readonly places: Map<string, string>;
}

const maxReferences = 100; // of a reference that leads to another one
const allTypes = ["array", "boolean", "integer", "null", "number", "object", "string"];
const structure =
  /^(\$ref|\$dynamicRef|\$id|\$anchor|\$dynamicAnchor|\$schema|\$defs|definitions|\$comment|allOf|anyOf|oneOf|type|enum|const|required|properties|items|prefixItems|additionalProperties|unevaluatedProperties)$/;
const conditional = /^(not|if|then|else|contains|propertyNames|unevaluatedItems|patternProperties|dependentSchemas)$/;

/** Reads the views of schemas, each once. */
export class Views {
  readonly #views = new Map<string, View>();
  readonly #open = new Set<string>(); // those that are read

  /** Returns the view of a value that must match all of these schemas. */
  of(nodes: readonly SchemaNode[]): View {
    const key = keyOf(nodes);
    const known = this.#views.get(key);
    if (known) return known;
    this.#open.add(key);
    const view = createView(nodes[0] && followAll(nodes[0]).pointer);
    const lists = { own: [] as string[][], unions: [] as string[][] };
    for (const part of listParts(nodes)) this.#add(view, part, lists);
    const implied = view.values ? [...view.values.values()].map(typeOf) : impliedTypes(view);
    const own = new Set(lists.own.length > 0 ? allTypes : implied);
    view.ownTypes = lists.own.reduce<ReadonlySet<string>>((types, list) => types.intersection(new Set(list)), own);
    view.types = lists.unions.reduce((types, list) => types.intersection(new Set(list)), view.ownTypes);
    if (view.values) view.limits.clear();
    useIntegers(view);
    this.#open.delete(key);
    this.#views.set(key, view);
    return view;
  }

  // Adds a schema, and the types that it and its unions declare.
  #add(view: View, node: SchemaNode, lists: { readonly own: string[][]; readonly unions: string[][] }): void {
    const { schema } = node;
    for (const [keyword, value] of Object.entries(schema)) {
      const limit = limits.get(keyword);
      if (!view.places.has(keyword)) view.places.set(keyword, node.pointer);
      if (limit) addLimit(view, limit.name, limit.read(value, keyword), limit.merge);
      else if (conditional.test(keyword)) addConditions(view, node, keyword);
      else if (!structure.test(keyword) && !view.annotations.has(keyword)) view.annotations.set(keyword, value);
    }
    if (Array.isArray(schema.required)) for (const name of schema.required) view.required.add(name);
    for (const { key, node: own } of node.childrenOf("properties"))
      view.properties.set(key, [...(view.properties.get(key) ?? []), own]);
    if (schema.items !== undefined) view.items.push(node.at("items"));
    for (const { key, node: own } of node.childrenOf("prefixItems"))
      view.prefixItems[Number(key)] = [...(view.prefixItems[Number(key)] ?? []), own];
    for (const keyword of ["additionalProperties", "unevaluatedProperties"]) {
      if (schema[keyword] === false) view.isClosed = true;
      else if (isObject(schema[keyword])) view.additional.push(node.at(keyword));
    }
    addValues(view, schema, node.raw);
    if (schema.type !== undefined)
      lists.own.push([schema.type].flat().flatMap((type) => (type === "number" ? ["number", "integer"] : [`${type}`])));
    for (const keyword of ["oneOf", "anyOf"]) {
      const nodes = node.childrenOf(keyword).map((child) => child.node);
      const isKnown = nodes.length > 0 && nodes.every((one) => !this.#open.has(keyOf([one])));
      const alternatives = isKnown ? nodes.map((one) => this.of([one])) : [];
      const isOne = isKnown && !view.values && areOne(alternatives);
      if (isOne) mergeAlternatives(view, alternatives);
      else if (nodes.length > 0) view.unions.push(nodes);
      if (isKnown) lists[isOne ? "own" : "unions"].push(alternatives.flatMap(({ types }) => [...types]));
    }
  }
}

// Returns the schemas that a value must match, in the order in which they would be written in one.
function listParts(nodes: readonly SchemaNode[]): Iterable<SchemaNode> {
  const found = new Map<unknown, SchemaNode>();
  const waiting = nodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (found.has(node.identity)) continue;
    found.set(node.identity, node);
    waiting.push(...[...node.references(), ...node.childrenOf("allOf").map((child) => child.node)].reverse());
  }
  return found.values();
}

// Whether one schema can say what these alternatives say, such as that of a nullable value: they have different types, or list their
// values, or are null.
function areOne(alternatives: readonly View[]): boolean {
  const isListed = (one: View) => one.values ?? [...one.types].join() === "null";
  const names = alternatives.flatMap(({ types, limits }) => [...types, ...limits.keys()]);
  if (alternatives.some(({ unions }) => unions.length > 0)) return false;
  if (alternatives.some(({ values }) => values))
    return alternatives.every((one) => isListed(one) && isUnlimited({ ...one, values: undefined }));
  return new Set(names).size === names.length;
}

/** Returns the schema that a reference without other keywords leads to, or else the schema itself. */
export function follow(node: SchemaNode): SchemaNode {
  let target = node;
  for (let count = 0; count < maxReferences && Object.keys(target.schema).join() === "$ref"; count++)
    target = target.references()[0] ?? target;
  return target;
}

// A part of a schema is named after the component, also if that is described where it is used.
function followAll(node: SchemaNode): SchemaNode {
  let target = node;
  for (let count = 0; count < maxReferences && typeof target.schema.$ref === "string"; count++)
    target = target.references()[0] ?? target;
  return target;
}

/** Returns a text that identifies schemas by their places. */
export function keyOf(nodes: readonly SchemaNode[]): string {
  return nodes.length === 1
    ? (nodes[0] as SchemaNode).pointer
    : [...new Set(nodes.map(({ pointer }) => pointer))].sort().join(" & ");
}

/** Returns whether any value is allowed. */
export function isAny(view: View): boolean {
  return view.types.size === allTypes.length && isUnlimited(view);
}

/** Returns whether any value of its types is allowed. */
export function isUnlimited(view: View): boolean {
  const { limits, properties, required, items, prefixItems, additional, unions, conditions } = view;
  const sizes = [limits, properties, required, conditions].map(({ size }) => size);
  const lengths = [items, prefixItems, additional, unions].map(({ length }) => length);
  return !view.values && !view.isClosed && [...sizes, ...lengths].every((one) => one === 0);
}

/** Returns types as people name them. */
export function describeTypes(types: ReadonlySet<string>): string {
  if (types.size === allTypes.length) return "any";
  return (
    [...types]
      .filter((type) => type !== "integer" || !types.has("number"))
      .sort()
      .join(" or ") || "none"
  );
}

function createView(pointer: string | undefined): View {
  return {
    pointer,
    types: new Set(),
    ownTypes: new Set(),
    values: undefined,
    limits: new Map(),
    properties: new Map(),
    required: new Set(),
    items: [],
    prefixItems: [],
    additional: [],
    isClosed: false,
    unions: [],
    conditions: new Map(),
    annotations: new Map(),
    places: new Map(),
  };
}

function addLimit(view: View, name: string, value: unknown, merge: (one: unknown, other: unknown) => unknown): void {
  if (value === undefined) return;
  view.limits.set(name, view.limits.has(name) ? merge(view.limits.get(name), value) : value);
}

function addConditions(view: View, node: SchemaNode, keyword: string): void {
  for (const child of node.children())
    if (child.keyword === keyword) {
      const name = child.key === "" ? keyword : `${keyword}/${child.key}`;
      view.conditions.set(name, [...(view.conditions.get(name) ?? []), child.node]);
    }
}

// In OpenAPI 3.0, null is a value of each enum of a nullable schema, as everybody writes it.
function addValues(view: View, schema: SchemaObject, raw: unknown): void {
  const isNullable = Object(raw).nullable === true && [schema.type].flat().includes("null");
  for (const list of [schema.enum, schema.const === undefined ? undefined : [schema.const]])
    if (Array.isArray(list)) {
      const values = new Map([...list, ...(isNullable ? [null] : [])].map((value) => [toJson(value), value]));
      view.values = view.values ? new Map([...view.values].filter(([text]) => values.has(text))) : values;
    }
}

function mergeAlternatives(view: View, alternatives: readonly View[]): void {
  for (const one of alternatives) mergeView(view, one);
  if (alternatives.some(({ values }) => values))
    view.values = new Map(alternatives.flatMap(({ values }) => [...(values ?? [["null", null] as const])]));
}

function mergeView(view: View, other: View): void {
  for (const [name, value] of other.limits) addLimit(view, name, value, (one) => one);
  for (const [name, nodes] of other.properties)
    view.properties.set(name, [...(view.properties.get(name) ?? []), ...nodes]);
  for (const name of other.required) view.required.add(name);
  for (const [name, nodes] of other.conditions) view.conditions.set(name, nodes);
  for (const [name, value] of other.annotations) if (!view.annotations.has(name)) view.annotations.set(name, value);
  for (const [name, pointer] of other.places) if (!view.places.has(name)) view.places.set(name, pointer);
  view.items.push(...other.items);
  view.prefixItems.push(...other.prefixItems);
  view.additional.push(...other.additional);
  view.isClosed ||= other.isClosed;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || Number.isInteger(value)) return "integer";
  return typeof value;
}

// Of a schema without `type`. Strictly, it allows each value of another type, which nobody means.
function impliedTypes({ properties, required, items, prefixItems, additional, isClosed }: View): string[] {
  if (properties.size > 0 || required.size > 0 || additional.length > 0 || isClosed) return ["object"];
  return items.length > 0 || prefixItems.length > 0 ? ["array"] : allTypes;
}

// More than 0 is at least 1.
function useIntegers({ types, limits }: View): void {
  if (types.has("number")) return;
  for (const [name, step] of [
    ["minimum", 1],
    ["maximum", -1],
  ] as const) {
    const limit = limits.get(name) as { readonly at: number | bigint; readonly isOpen: boolean } | undefined;
    if (limit?.isOpen) limits.set(name, { at: Number(limit.at) + step, isOpen: false });
  }
}
