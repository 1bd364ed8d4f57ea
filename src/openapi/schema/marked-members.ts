// Removes members that are not sent in one direction (OpenAPI 3.1.1, section 4.8.24.1): read-only members of requests, and
// write-only members of responses.
import { setOwn } from "../../lib/index.ts";
import type { Marker } from "./form.ts";
import { isObject } from "./form.ts";
import { possiblePartsOf, type SchemaNode } from "./node.ts";

/** The members of a value that have a marker. Equal for all values of the same schemas. */
export class MarkedMembers {
  readonly #parts: readonly SchemaNode[]; // that apply
  readonly #possible: readonly SchemaNode[]; // that may apply
  readonly #members = new Map<string, Member>(); // of the declared names
  readonly #known: Map<string, MarkedMembers>; // by the pointers of their schemas
  readonly #marker: Marker;
  #items: MarkedMembers | undefined;

  private constructor(nodes: readonly SchemaNode[], marker: Marker, known: Map<string, MarkedMembers>) {
    this.#marker = marker;
    this.#parts = nodes.flatMap((node) => node.parts());
    this.#possible = possiblePartsOf(nodes);
    this.#known = known;
  }

  /** Returns those of a schema. */
  static of(node: SchemaNode, marker: Marker): MarkedMembers {
    return MarkedMembers.#get([node], marker, new Map());
  }

  static #get(nodes: readonly SchemaNode[], marker: Marker, known: Map<string, MarkedMembers>): MarkedMembers {
    const key = nodes.map(({ pointer }) => pointer).join();
    const found = known.get(key) ?? new MarkedMembers(nodes, marker, known);
    known.set(key, found);
    return found;
  }

  /** Returns a value without the marked members, at each depth: the value itself if it has none, and otherwise a copy. */
  removeFrom(value: unknown): unknown {
    if (this.#possible.length === 0) return value;
    if (Array.isArray(value)) {
      this.#items ??= this.#of(this.#possible.flatMap((node) => node.item(Infinity) ?? []));
      const items = value.map((item) => this.#items?.removeFrom(item));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isObject(value)) return value;
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(value)) {
      const { isMarked, members } = this.#member(name);
      const member = isMarked ? undefined : members.removeFrom(value[name]);
      if (member === value[name] && !isMarked) continue;
      copy ??= { ...value };
      if (isMarked) Reflect.deleteProperty(copy, name);
      else setOwn(copy, name, member);
    }
    return copy ?? value;
  }

  #of(nodes: readonly SchemaNode[]): MarkedMembers {
    return MarkedMembers.#get(nodes, this.#marker, this.#known);
  }

  #member(name: string): Member {
    const known = this.#members.get(name);
    if (known) return known;
    const nodes = this.#possible.flatMap((node) => node.property(name));
    const member = { isMarked: this.#isMarked(name, nodes), members: this.#of(nodes) };
    if (this.#possible.some(({ schema }) => Object.hasOwn(Object(schema.properties), name)))
      this.#members.set(name, member);
    return member;
  }

  // By one of the schemas that apply. Of those that may apply, each must say so: another one could require the member.
  #isMarked(name: string, nodes: readonly SchemaNode[]): boolean {
    const isMarked = (node: SchemaNode) => node.parts().some(({ schema }) => schema[this.#marker] === true);
    const applying = this.#parts.flatMap((node) => node.property(name));
    return applying.some(isMarked) || (nodes.length > 0 && nodes.every(isMarked));
  }
}

interface Member {
  readonly isMarked: boolean;
  readonly members: MarkedMembers;
}
