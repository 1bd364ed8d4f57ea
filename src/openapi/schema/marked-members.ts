// Members that are not sent in one direction (OpenAPI 3.1.1, section 4.8.24.1): removes read-only members of requests and write-only
// members of responses, and keeps the read-only ones that a stored value has.
import { canonicalJson, getOrAdd, isObject, setOwn } from "../../lib/index.ts";
import { listReachable, possiblePartsOf, type SchemaNode } from "./node.ts";
import type { Marker } from "./value-forms.ts";

/** The members of a value that have a marker. Equal for all values of the same schemas. */
export class MarkedMembers {
  readonly #parts: readonly SchemaNode[]; // that apply
  readonly #possible: readonly SchemaNode[]; // that may apply
  readonly #members = new Map<string, Member>(); // of the declared names
  readonly #known: Map<string, MarkedMembers>; // by the pointers of their schemas
  readonly #marker: Marker;
  readonly #tupleLength: number;
  readonly #items = new Map<number, MarkedMembers>(); // by the index; those behind a tuple are the same
  #areReachable: boolean | undefined;

  private constructor(nodes: readonly SchemaNode[], marker: Marker, known: Map<string, MarkedMembers>) {
    this.#marker = marker;
    this.#parts = nodes.flatMap((node) => node.parts());
    this.#possible = possiblePartsOf(nodes);
    this.#known = known;
    this.#tupleLength = Math.max(0, ...this.#possible.map(({ schema }) => Object(schema.prefixItems).length ?? 0));
  }

  /** Returns those of a schema. */
  static of(node: SchemaNode, marker: Marker): MarkedMembers {
    return MarkedMembers.#get([node], marker, new Map());
  }

  static #get(nodes: readonly SchemaNode[], marker: Marker, known: Map<string, MarkedMembers>): MarkedMembers {
    const key = nodes.map(({ pointer }) => pointer).join();
    return getOrAdd(known, key, () => new MarkedMembers(nodes, marker, known));
  }

  /**
   * Returns a value without the marked members, at each depth: the value itself if it has none, and otherwise a copy. Those that an object
   * in a record needs stay. `isRecord` is whether the value is a record, or the object around one.
   */
  removeFrom(value: unknown, isRecord = true): unknown {
    if (this.#possible.length === 0) return value;
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.item(index).removeFrom(item, isRecord));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isObject(value)) return value;
    let copy: Record<string, unknown> | undefined;
    const names = Object.keys(value);
    for (const name of names) {
      const { isNeeded, members, ...found } = this.#member(name);
      const isMarked = found.isMarked && (isRecord || !isNeeded);
      const member = isMarked ? undefined : members.removeFrom(value[name], isRecord && names.length === 1);
      if (member === value[name] && !isMarked) continue;
      copy ??= { ...value };
      if (isMarked) Reflect.deleteProperty(copy, name);
      else setOwn(copy, name, member);
    }
    return copy ?? value;
  }

  /**
   * Returns a value with the marked members of a previous one, at each depth, instead of its own. An item of an array gets those of the item
   * that has the same ones, or else the same other members, or else its place; one of a tuple, those at its place. The value has those that
   * the schemas of `sent` declare without the marker, and an object in a record those that it needs.
   */
  keepFrom(previous: unknown, value: unknown, sent?: MarkedMembers, isRecord = true): unknown {
    if (!this.#canBeMarked) return value;
    if (Array.isArray(value)) {
      const before: readonly unknown[] = Array.isArray(previous) ? previous : [];
      const start = this.#tupleLength;
      const partners = this.item(start).#pair(before.slice(start), value.slice(start));
      const partnerOf = (index: number) => (index < start ? before[index] : partners.get(index - start));
      return value.map((item, index) => this.item(index).keepFrom(partnerOf(index), item, sent?.item(index), isRecord));
    }
    if (!isObject(value)) return value;
    const before = isObject(previous) ? previous : {};
    const kept: Record<string, unknown> = {};
    for (const name of new Set([...Object.keys(value), ...Object.keys(before)])) {
      const { isMarked, isNeeded, members } = this.#member(name);
      const isOwn = sent?.declares(name) || (isNeeded && !isRecord && Object.hasOwn(value, name));
      const isKept = isMarked && !isOwn;
      if (!Object.hasOwn(isKept ? before : value, name)) continue;
      const old = Object.hasOwn(before, name) ? before[name] : undefined;
      setOwn(kept, name, isKept ? old : members.keepFrom(old, value[name], sent?.of(name), false));
    }
    return kept;
  }

  /** Returns those of a member. */
  of(name: string): MarkedMembers {
    return this.#member(name).members;
  }

  // Returns the previous items of others, by their indices. The rest is paired in order, if as many are left.
  #pair(previous: readonly unknown[], items: readonly unknown[]): ReadonlyMap<number, unknown> {
    const partners = new Map<number, unknown>();
    const left = new Set(previous.keys());
    for (const isMarked of [true, false]) {
      const byKey = Map.groupBy([...left].reverse(), (index) => this.#keyOf(previous[index], isMarked));
      for (const [index, item] of items.entries()) {
        const key = partners.has(index) ? undefined : this.#keyOf(item, isMarked);
        const found = key === undefined ? undefined : byKey.get(key)?.pop();
        if (found === undefined) continue;
        partners.set(index, previous[found]);
        left.delete(found);
      }
    }
    const others = [...items.keys()].filter((index) => !partners.has(index));
    if (others.length === left.size)
      for (const [at, index] of [...left].entries()) partners.set(others[at] as number, previous[index]);
    return partners;
  }

  // The marked members of an item, or its other ones that are no arrays and objects, so that each value is compared once.
  #keyOf(item: unknown, isMarked: boolean): string | undefined {
    if (!isObject(item)) return undefined;
    const entries = Object.entries(item).filter(([name, value]) =>
      this.#member(name).isMarked ? isMarked : !isMarked && typeof value !== "object",
    );
    return entries.length === 0 ? undefined : canonicalJson(Object.fromEntries(entries));
  }

  /** Returns whether a schema that may apply declares a member without the marker. */
  declares(name: string): boolean {
    return this.#isDeclared(name) && !this.#member(name).isMarked;
  }

  #isDeclared(name: string): boolean {
    return this.#possible.some(({ schema }) => Object.hasOwn(Object(schema.properties), name));
  }

  /** Returns those of an item of an array. */
  item(index: number): MarkedMembers {
    const place = Math.min(index, this.#tupleLength);
    const nodes = () => this.#possible.flatMap((node) => node.item(place) ?? others(node, "unevaluatedItems"));
    return getOrAdd(this.#items, place, () => this.#of(nodes()));
  }

  // Whether a schema that is reached from here has the marker.
  get #canBeMarked(): boolean {
    this.#areReachable ??= listReachable(this.#possible).some(({ schema }) => schema[this.#marker] === true);
    return this.#areReachable;
  }

  #of(nodes: readonly SchemaNode[]): MarkedMembers {
    return MarkedMembers.#get(nodes, this.#marker, this.#known);
  }

  #member(name: string): Member {
    const known = this.#members.get(name);
    if (known) return known;
    const declared = this.#possible.flatMap((node) => node.property(name));
    const nodes =
      declared.length > 0 ? declared : this.#possible.flatMap((node) => others(node, "unevaluatedProperties"));
    const requiring = this.#possible.filter((node) => requires(node, name));
    const isNeeded = requiring.some((node) => !node.property(name).some((one) => this.#hasMarker(one)));
    const member = { isMarked: this.#isMarked(name, nodes), isNeeded, members: this.#of(nodes) };
    if (this.#isDeclared(name)) this.#members.set(name, member);
    return member;
  }

  // By one of the schemas that apply, unless another one requires the member with values of its own, such as the type of what is created. Of
  // those that may apply, each must say so: another one could require the member.
  #isMarked(name: string, nodes: readonly SchemaNode[]): boolean {
    const applying = this.#parts.flatMap((node) => node.property(name));
    const isChosen = this.#parts.some((node) => {
      const own = requires(node, name) ? node.property(name) : [];
      return own.some((one) => one.schema.enum !== undefined && !this.#hasMarker(one));
    });
    if (isChosen) return false;
    return (
      applying.some((node) => this.#hasMarker(node)) ||
      (nodes.length > 0 && nodes.every((node) => this.#hasMarker(node)))
    );
  }

  #hasMarker(node: SchemaNode): boolean {
    return node.parts().some(({ schema }) => schema[this.#marker] === true);
  }
}

function requires({ schema: { required } }: SchemaNode, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function others(node: SchemaNode, keyword: "unevaluatedItems" | "unevaluatedProperties"): SchemaNode[] {
  return node.childrenOf(keyword).map((child) => child.node);
}

interface Member {
  readonly isMarked: boolean;
  /** Whether a schema without the marker requires it, such as the id of another record: only a request can say it. */
  readonly isNeeded: boolean;
  readonly members: MarkedMembers;
}
