// Where the responses of a document have integers that are bigints, for clients.
import type { IntegerMap, IntegerPlaces } from "../client/exact-integers.ts";
import type { Document } from "../document/document.ts";
import { isInt64 } from "../schema/keywords/integers.ts";
import type { SchemaNode } from "../schema/node.ts";
import { isJson } from "../wire/media-types.ts";
import { findReachable } from "./type-views.ts";

type Places = { -readonly [Name in keyof IntegerPlaces]: IntegerPlaces[Name] };

/**
 * Returns the places of all responses: those of all media types that are JSON. Schemas without such an integer are left out, and all
 * operations if none has one.
 */
export function listIntegers({ operations, schemas }: Document): IntegerMap {
  const collector = new Collector();
  const byOperation: Record<string, Record<string, IntegerPlaces>> = {};
  for (const { method, path, part } of operations) {
    const byStatus: Record<string, IntegerPlaces> = {};
    for (const [status, response] of part.membersOf("responses")) {
      const contents = response.membersOf("content").filter(([type]) => isJson(type) || type.includes("*"));
      const all = contents.map(([, content]) => {
        const schema = content.written("schema");
        return schema && collector.describe(schemas.at(schema.pointer));
      });
      byStatus[/^[1-5]xx$/i.test(status) ? status.toUpperCase() : status] = all.reduce(combine, undefined) ?? {};
    }
    byOperation[`${method} ${path}`] = byStatus;
  }
  const hasIntegers = Object.values(byOperation).some((places) => Object.values(places).some(isNotEmpty));
  return { schemas: collector.schemas, operations: hasIntegers ? byOperation : {} };
}

class Collector {
  readonly schemas: Record<string, IntegerPlaces> = {};
  readonly #known = new Map<unknown, boolean>();

  describe(node: SchemaNode): IntegerPlaces | undefined {
    if (!this.#hasIntegers(node)) return undefined;
    const places: Places = {};
    this.#add(places, node);
    return places;
  }

  // The places of all schemas that may describe the value: those of alternatives, too.
  #add(places: Places, node: SchemaNode): void {
    const { schema } = node;
    if (isInt64(schema)) places.exact = true;
    const names = node.references().flatMap((target) => this.#name(target) ?? []);
    if (names.length > 0) places.schemas = [...new Set([...(places.schemas ?? []), ...names])];
    const parts = node.inPlaceParts().filter((part) => !node.references().some(({ raw }) => raw === part.raw));
    for (const part of parts) this.#add(places, part);
    for (const { key, node: property } of node.childrenOf("properties"))
      places.properties = merge(places.properties, { [key]: this.describe(property) });
    for (const other of [
      ...node.childrenOf("patternProperties").map((child) => child.node),
      ...below(node, "additionalProperties"),
    ])
      places.others = combine(places.others, this.describe(other));
    const first = node.childrenOf("prefixItems").map((child) => this.describe(child.node) ?? {});
    if (first.some(isNotEmpty)) places.first = first;
    for (const items of below(node, "items")) places.items = combine(places.items, this.describe(items));
    for (const name of Object.keys(places) as (keyof Places)[]) if (places[name] === undefined) delete places[name];
  }

  #name(node: SchemaNode): string | undefined {
    if (!this.#hasIntegers(node)) return undefined;
    const name = node.pointer.replace("/components/schemas/", "");
    if (!Object.hasOwn(this.schemas, name)) {
      this.schemas[name] = {}; // it can refer to itself
      this.schemas[name] = this.describe(node) as IntegerPlaces;
    }
    return name;
  }

  #hasIntegers(node: SchemaNode): boolean {
    return findReachable(node, this.#known, ({ schema }) => isInt64(schema));
  }
}

function isNotEmpty(places: IntegerPlaces): boolean {
  return Object.keys(places).length > 0;
}

function below(node: SchemaNode, keyword: "additionalProperties" | "items"): SchemaNode[] {
  const value = node.schema[keyword];
  return typeof value === "object" && value !== null ? [node.at(keyword)] : [];
}

function merge(
  all: IntegerPlaces["properties"],
  own: Readonly<Record<string, IntegerPlaces | undefined>>,
): IntegerPlaces["properties"] {
  const merged: Record<string, IntegerPlaces> = { ...all };
  for (const [name, places] of Object.entries(own)) {
    const combined = combine(Object.hasOwn(merged, name) ? merged[name] : undefined, places);
    if (combined) Object.defineProperty(merged, name, { value: combined, enumerable: true, configurable: true });
  }
  return Object.keys(merged).length > 0 ? merged : undefined;
}

// Of a value that both describe.
function combine(one: IntegerPlaces | undefined, other: IntegerPlaces | undefined): IntegerPlaces | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const schemas = [...new Set([...(one.schemas ?? []), ...(other.schemas ?? [])])];
  const first = one.first ?? other.first;
  const properties = merge(one.properties, other.properties ?? {});
  const others = combine(one.others, other.others);
  const items = combine(one.items, other.items);
  return {
    ...((one.exact || other.exact) && { exact: true }),
    ...(properties && { properties }),
    ...(others && { others }),
    ...(items && { items }),
    ...(first && { first }),
    ...(schemas.length > 0 && { schemas }),
  };
}
