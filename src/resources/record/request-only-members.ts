// Members that only a request declares, at any depth, such as the number of a card: a record does not keep them.
import { getOrAdd, isObject } from "../../lib/index.ts";
import { possiblePartsOf, type SchemaNode } from "../../openapi/index.ts";

type Known = Map<string, RequestOnlyMembers | null>;

const maxTuple = 100; // items with a schema of their own

/** The members of what a request sends that a record does not have. Equal for all values of the same schemas. */
export class RequestOnlyMembers {
  readonly #record: readonly SchemaNode[]; // that may apply
  readonly #sent: readonly SchemaNode[];
  readonly #known: Known; // by the pointers of their schemas
  readonly #parts = new Map<string | number, RequestOnlyMembers | null>(); // by declared name, or index

  private constructor(record: readonly SchemaNode[], sent: readonly SchemaNode[], known: Known) {
    this.#record = record;
    this.#sent = sent;
    this.#known = known;
  }

  /** Returns those of values of which a record has these schemas, and a request those of `sent`; undefined if there are none. */
  static of(
    record: readonly SchemaNode[],
    sent: readonly SchemaNode[],
    known: Known = new Map(),
  ): RequestOnlyMembers | undefined {
    const key = [record, sent].map((nodes) => nodes.map(({ pointer }) => pointer).join()).join(" ");
    const found = getOrAdd(known, key, () => {
      const [own, others] = [possiblePartsOf(record), possiblePartsOf(sent).filter(hasParts)];
      const isOwn = ({ pointer }: SchemaNode) => own.some((one) => one.pointer === pointer);
      return others.every(isOwn) ? null : new RequestOnlyMembers(own, others, known);
    });
    return found ?? undefined;
  }

  /** Returns a value without these members. */
  removeFrom(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item, index) => this.#item(index)?.removeFrom(item) ?? item);
    if (!isObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => !this.#isOnlySent(name));
    const inner = (name: string, member: unknown) =>
      typeof member === "object" ? this.#member(name)?.removeFrom(member) : undefined;
    return Object.fromEntries(kept.map(([name, member]) => [name, inner(name, member) ?? member]));
  }

  /** Returns the path of the first of them that is none of these names, such as `card.number`; undefined if there is none. */
  findFirst(others: readonly string[] = [], visited: Set<RequestOnlyMembers> = new Set()): string | undefined {
    if (visited.has(this)) return undefined;
    visited.add(this);
    const names = this.#sent.flatMap(({ schema }) => Object.keys(Object(schema.properties)));
    const own = names.find((name) => !others.includes(name) && this.#isOnlySent(name));
    if (own !== undefined) return own;
    const inner = [...names, "*"].map((name) => [`${name}.`, this.#member(name)] as const);
    for (const [path, members] of [...inner, ["", this.#item(maxTuple)] as const]) {
      const found = members?.findFirst([], visited);
      if (found !== undefined) return `${path}${found}`;
    }
    return undefined;
  }

  // Each name of a map with a schema is one of the record, unless it is that of a secret.
  #isOnlySent(name: string): boolean {
    const isRequired = this.#record.some(({ schema }) => ((schema.required ?? []) as string[]).includes(name));
    if (!declares(this.#sent, name) || declares(this.#record, name) || isRequired) return false;
    const isSecret = ({ schema }: SchemaNode) => schema.writeOnly === true || schema.format === "password";
    const isMapped = this.#record.some((node) => node.property(name).some(({ schema }) => Object.keys(schema).length));
    return !isMapped || this.#sent.flatMap((node) => node.property(name)).some(isSecret);
  }

  #member(name: string): RequestOnlyMembers | undefined {
    const find = () => this.#find((node) => node.property(name));
    return (declares(this.#sent, name) ? getOrAdd(this.#parts, name, find) : find()) ?? undefined;
  }

  #item(index: number): RequestOnlyMembers | undefined {
    const place = Math.min(index, maxTuple);
    return getOrAdd(this.#parts, place, () => this.#find((node) => node.item(place) ?? [])) ?? undefined;
  }

  #find(partsOf: (node: SchemaNode) => SchemaNode | readonly SchemaNode[]): RequestOnlyMembers | null {
    return RequestOnlyMembers.of(this.#record.flatMap(partsOf), this.#sent.flatMap(partsOf), this.#known) ?? null;
  }
}

// Whether a schema says something of members or items.
function hasParts({ schema }: SchemaNode): boolean {
  return ["properties", "patternProperties", "additionalProperties", "items", "prefixItems"].some(
    (one) => one in schema,
  );
}

function declares(nodes: readonly SchemaNode[], name: string): boolean {
  return nodes.some(({ schema }) => Object.hasOwn(Object(schema.properties), name));
}
