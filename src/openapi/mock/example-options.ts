// What examples are created from: variants, sources of values, and what examples of a schema have in common.
import { getOrAdd } from "../../lib/index.ts";
import type { SchemaNode } from "../schema/node.ts";
import { mergeKeywords } from "./example-values.ts";

/** How a value is created. If it is not valid, another variant may be. */
export interface Variant {
  /** Uses the examples of the schemas. */
  readonly hasExamples: boolean;
  /** Adds properties and items that are not required. */
  readonly isFull: boolean;
  /** Which alternative of `oneOf` and `anyOf` is used. */
  readonly choice: number;
  /** Where values come from that differ from call to call. */
  readonly source?: ValueSource;
}

/** A member of an object whose value is created, or an array that is a member of it. */
export interface ExampleMember {
  readonly name: string;
  readonly isRequired: boolean;
  /** Identifies the object. */
  readonly object: object;
  /** The member that is the object; undefined for the outermost one. */
  readonly owner: ExampleMember | undefined;
}

/** What the values of a schema are created from, instead of the same each time. */
export interface ValueSource {
  /** Returns an integer from 0 to below `count`. */
  readonly random: (count: number) => number;
  /**
   * Returns values of a member by its name, its keywords, which are merged, and an example of it: the best first. The first that
   * matches is used: undefined for none.
   */
  readonly valuesOf?: (member: ExampleMember, keywords: Json, example: unknown) => Iterable<unknown>;
}

export type Json = Readonly<Record<string, unknown>>;

/** The schemas of a value, prepared for its creation. */
export interface Prepared {
  /** Those that apply, with one alternative of each choice. */
  readonly parts: readonly SchemaNode[];
  readonly merged: Json;
  readonly members: Map<string, SchemaNode[]>;
  items?: SchemaNode[];
}

/** What many examples of a schema have in common. */
export class ExampleCache {
  readonly #lists = new WeakMap<SchemaNode, readonly SchemaNode[]>();
  readonly #prepared = new WeakMap<readonly SchemaNode[], Prepared>();

  /** Returns the same list of one node each time. */
  listOf(node: SchemaNode): readonly SchemaNode[] {
    return getOrAdd(this.#lists, node, () => [node]);
  }

  /** Returns schemas without alternatives as they were prepared before, if they are the same list. */
  prepare(nodes: readonly SchemaNode[], choose: () => readonly SchemaNode[]): Prepared {
    const known = this.#prepared.get(nodes);
    if (known) return known;
    const parts = choose();
    const prepared: Prepared = { parts, merged: mergeKeywords(parts), members: new Map() };
    if (!parts.some(({ schema }) => schema.oneOf ?? schema.anyOf)) this.#prepared.set(nodes, prepared);
    return prepared;
  }
}

/** How examples are created. */
export interface ExampleOptions {
  /** By default, the value is the same each time. */
  readonly source?: ValueSource | undefined;
  /** Returns whether an example matches its schema. By default, all do. */
  readonly matches?: (node: SchemaNode, value: unknown) => boolean;
  /** Returns further schemas that a member of the value must match. */
  readonly limits?: (name: string) => readonly SchemaNode[];
  /** Of earlier examples with the same schema and limits. */
  readonly cache?: ExampleCache;
}
