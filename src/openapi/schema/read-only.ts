// Removes read-only members from the bodies of requests (OpenAPI 3.1.1, section 4.8.24.1), before they are validated.
import { isObject } from "./form.ts";
import { possiblePartsOf, type SchemaNode } from "./node.ts";

/** What of a value is read-only. Equal for all values of the same schemas. */
export class ReadOnlyMembers {
  readonly #parts: readonly SchemaNode[]; // that apply
  readonly #possible: readonly SchemaNode[]; // that may apply
  readonly #members = new Map<string, Member>(); // of the declared names
  readonly #known: Map<string, ReadOnlyMembers>; // by the pointers of their schemas
  #items: ReadOnlyMembers | undefined;

  private constructor(nodes: readonly SchemaNode[], known: Map<string, ReadOnlyMembers>) {
    this.#parts = nodes.flatMap((node) => node.parts());
    this.#possible = possiblePartsOf(nodes);
    this.#known = known;
  }

  /** Returns those of a schema. */
  static of(node: SchemaNode): ReadOnlyMembers {
    return ReadOnlyMembers.#get([node], new Map());
  }

  static #get(nodes: readonly SchemaNode[], known: Map<string, ReadOnlyMembers>): ReadOnlyMembers {
    const key = nodes.map(({ pointer }) => pointer).join();
    const found = known.get(key) ?? new ReadOnlyMembers(nodes, known);
    known.set(key, found);
    return found;
  }

  /** Removes the read-only members of a value, at each depth. */
  removeFrom(value: unknown): void {
    if (this.#possible.length === 0) return;
    if (Array.isArray(value)) {
      this.#items ??= ReadOnlyMembers.#get(
        this.#possible.flatMap((node) => node.item(Infinity) ?? []),
        this.#known,
      );
      for (const item of value) this.#items.removeFrom(item);
    } else if (isObject(value))
      for (const name of Object.keys(value)) {
        const { isReadOnly, members } = this.#member(name);
        if (isReadOnly) Reflect.deleteProperty(value, name);
        else members.removeFrom(value[name]);
      }
  }

  #member(name: string): Member {
    const known = this.#members.get(name);
    if (known) return known;
    const nodes = this.#possible.flatMap((node) => node.property(name));
    const member = { isReadOnly: this.#isReadOnly(name, nodes), members: ReadOnlyMembers.#get(nodes, this.#known) };
    if (this.#possible.some(({ schema }) => Object.hasOwn(Object(schema.properties), name)))
      this.#members.set(name, member);
    return member;
  }

  // By one of the schemas that apply. Of those that may apply, each must say so: another one could require the member.
  #isReadOnly(name: string, nodes: readonly SchemaNode[]): boolean {
    const isMarked = (node: SchemaNode) => node.parts().some(({ schema }) => schema.readOnly === true);
    const applying = this.#parts.flatMap((node) => node.property(name));
    return applying.some(isMarked) || (nodes.length > 0 && nodes.every(isMarked));
  }
}

interface Member {
  readonly isReadOnly: boolean;
  readonly members: ReadOnlyMembers;
}
