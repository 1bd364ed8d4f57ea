// Finds schemas that lead to themselves without a member between: an evaluation would never end.
import type { SchemaNode } from "../node.ts";

/** A reference that leads back to the schema that has it. */
export interface CyclicReference {
  readonly node: SchemaNode;
  readonly target: SchemaNode;
}

/**
 * Searches from a schema for cycles. Calls `onFound` for one reference of each cycle, which must remove it from its schema. Then
 * `create` must return a new node of the schema, because a node does not notice the removal. `done` has the identities of the
 * schemas that were searched before. Without recursion, because a chain of references can be long.
 */
export function breakCycles(
  create: () => SchemaNode,
  done: Set<unknown>,
  onFound: (reference: CyclicReference) => void,
): void {
  for (let cycle = findCycle(create(), done); cycle !== undefined; cycle = findCycle(create(), done))
    onFound(chooseReference(cycle));
}

function findCycle(start: SchemaNode, done: Set<unknown>): SchemaNode[] | undefined {
  const path: { readonly node: SchemaNode; readonly parts: SchemaNode[] }[] = [];
  const open = new Set<unknown>();
  const enter = (node: SchemaNode) => {
    open.add(node.identity);
    path.push({ node, parts: node.inPlaceParts().reverse() });
  };
  if (!done.has(start.identity)) enter(start);
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    const part = last.parts.pop();
    if (part === undefined) {
      path.pop();
      open.delete(last.node.identity);
      done.add(last.node.identity);
    } else if (open.has(part.identity)) {
      const nodes = path.map(({ node }) => node);
      return nodes.slice(nodes.findIndex(({ identity }) => identity === part.identity));
    } else if (!done.has(part.identity)) enter(part);
  }
  return undefined;
}

// If possible, one in allOf: that of an alternative to its parent.
function chooseReference(cycle: readonly SchemaNode[]): CyclicReference {
  const links = cycle.flatMap((node, index): CyclicReference[] => {
    const target = cycle[(index + 1) % cycle.length] as SchemaNode;
    return node.references().some(({ identity }) => identity === target.identity) ? [{ node, target }] : [];
  });
  return (links.findLast(({ node }) => /\/allOf\/\d+$/.test(node.pointer)) ?? links.at(-1)) as CyclicReference;
}
