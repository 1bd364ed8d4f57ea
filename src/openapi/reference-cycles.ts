// Finds schemas that lead to themselves without a member between: a validation would never end.
import type { SchemaNode } from "./schema-node.ts";

const maxChain = 1_000;

/** A reference that leads back to the schema that has it. */
export interface CyclicReference {
  readonly node: SchemaNode;
  readonly target: SchemaNode;
}

/** The search for cycles. `onFound` is called for one reference of each cycle, and must remove it from the schema. */
export class CycleSearch {
  readonly #onFound: (reference: CyclicReference) => void;
  readonly #done = new Set<string>(); // keys of nodes
  readonly #removed = new Set<string>(); // pointers of the schemas with the references

  constructor(onFound: (reference: CyclicReference) => void) {
    this.#onFound = onFound;
  }

  /** Searches from a schema. `create` returns its node, as often as needed: a node keeps its references. */
  searchFrom(create: () => SchemaNode): void {
    let found: Set<string>;
    let removed: number;
    do {
      removed = this.#removed.size;
      found = this.#visit(create());
    } while (this.#removed.size > removed); // a cycle can have hidden another one
    for (const key of found) this.#done.add(key);
  }

  // Returns the keys of the nodes that a schema leads to.
  #visit(start: SchemaNode): Set<string> {
    const open = new Map<string, SchemaNode>(); // the path to the node, by key
    const found = new Set<string>();
    const visit = (node: SchemaNode) => {
      if (this.#done.has(node.key) || found.has(node.key)) return;
      if (open.has(node.key)) {
        const path = [...open.values()];
        this.#break(path.slice(path.findIndex(({ key }) => key === node.key)));
        return;
      }
      if (open.size > maxChain)
        throw new Error(`The schema at ${node.pointer} is the end of a chain of more than ${maxChain} references.`);
      open.set(node.key, node);
      for (const target of [...node.references(), ...node.inPlaceParts()]) visit(target);
      open.delete(node.key);
      found.add(node.key);
    };
    visit(start);
    return found;
  }

  // Removes a reference, if possible one in allOf: that of an alternative to its parent.
  #break(cycle: readonly SchemaNode[]): void {
    if (cycle.some(({ pointer }) => this.#removed.has(pointer))) return;
    const links = cycle.flatMap((node, index): CyclicReference[] => {
      const target = cycle[(index + 1) % cycle.length] as SchemaNode;
      return node.references().some(({ key }) => key === target.key) ? [{ node, target }] : [];
    });
    const reference = links.findLast(({ node }) => /\/allOf\/\d+$/.test(node.pointer)) ?? links.at(-1);
    this.#removed.add((reference as CyclicReference).node.pointer);
    this.#onFound(reference as CyclicReference);
  }
}
