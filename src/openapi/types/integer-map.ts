// Where the responses of a document have integers that are bigints, for clients.
import { setOwn } from "../../lib/index.ts";
import type { IntegerMap, IntegerPlaces } from "../client/exact-integers.ts";
import type { Document } from "../document/document.ts";
import { isInt64 } from "../schema/keywords/integers.ts";
import type { SchemaNode } from "../schema/node.ts";
import { isJson } from "../wire/media-types.ts";
import { findReachable } from "./type-views.ts";

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
        return schema ? collector.describe(schemas.at(schema.pointer)) : {};
      });
      byStatus[/^[1-5]xx$/i.test(status) ? status.toUpperCase() : status] = all.reduce(combine, {});
    }
    byOperation[`${method} ${path}`] = byStatus;
  }
  const hasIntegers = Object.values(byOperation).some((places) => Object.values(places).some(isNotEmpty));
  return { schemas: collector.schemas, operations: hasIntegers ? byOperation : {} };
}

class Collector {
  readonly schemas: Record<string, IntegerPlaces> = {};
  readonly #known = new Map<unknown, boolean>();

  describe(node: SchemaNode): IntegerPlaces {
    return this.#hasIntegers(node) ? this.#listPlaces(node).reduce(combine, {}) : {};
  }

  // Those of all schemas that may describe the value: of alternatives, too.
  #listPlaces(node: SchemaNode): IntegerPlaces[] {
    const targets = node.references();
    const parts = node.inPlaceParts().filter((part) => !targets.some(({ raw }) => raw === part.raw));
    const patterns = node.childrenOf("patternProperties").map((child) => child.node);
    const first = node.childrenOf("prefixItems").map((child) => this.describe(child.node));
    return [
      { exact: isInt64(node.schema), schemas: targets.flatMap((target) => this.#name(target) ?? []) },
      first.some(isNotEmpty) ? { first } : {},
      ...parts.map((part) => this.describe(part)),
      ...node.childrenOf("properties").map((child) => ({ properties: { [child.key]: this.describe(child.node) } })),
      ...[...patterns, ...below(node, "additionalProperties")].map((other) => ({ others: this.describe(other) })),
      ...below(node, "items").map((items) => ({ items: this.describe(items) })),
    ];
  }

  #name(node: SchemaNode): string | undefined {
    if (!this.#hasIntegers(node)) return undefined;
    const name = node.pointer.replace("/components/schemas/", "");
    if (!Object.hasOwn(this.schemas, name)) {
      this.schemas[name] = {}; // it can refer to itself
      this.schemas[name] = this.describe(node);
    }
    return name;
  }

  #hasIntegers(node: SchemaNode): boolean {
    return findReachable(node, this.#known, ({ schema }) => isInt64(schema));
  }
}

function isNotEmpty(places: object): boolean {
  return Object.keys(places).length > 0;
}

function below(node: SchemaNode, keyword: "additionalProperties" | "items"): SchemaNode[] {
  const value = node.schema[keyword];
  return typeof value === "object" && value !== null ? [node.at(keyword)] : [];
}

// Of a value that both describe.
function combine(one: IntegerPlaces, other: IntegerPlaces): IntegerPlaces {
  const properties: Record<string, IntegerPlaces> = { ...one.properties };
  for (const [name, places] of Object.entries(other.properties ?? {})) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isNotEmpty(places)) setOwn(properties, name, combine(known ?? {}, places));
  }
  const parts = {
    schemas: [...new Set([...(one.schemas ?? []), ...(other.schemas ?? [])])],
    properties,
    others: one.others && other.others ? combine(one.others, other.others) : (one.others ?? other.others ?? {}),
    first: one.first ?? other.first ?? [],
    items: one.items && other.items ? combine(one.items, other.items) : (one.items ?? other.items ?? {}),
  };
  const found = Object.entries(parts).filter(([, part]) => isNotEmpty(part));
  return { ...((one.exact || other.exact) && { exact: true }), ...Object.fromEntries(found) };
}
