// Finds orphaned records, whose parent does not exist: those of an import, or of a version that did not delete them.
import type { Document } from "../openapi/index.ts";
import { planOf } from "../resources/index.ts";
import { type Table, toScope, type Values } from "../store/index.ts";

/** Compares the records of all tables. It keeps a short text for each record that can have others below it. */
export function createParentCheck(document: Document) {
  const { collections } = planOf(document);
  const scopes = new Map<string, Set<string>>(); // of the records of the collections above
  const lower = collections.flatMap(({ name, above }) => {
    const parent = collections.find((one) => one.name === above);
    if (above === undefined || parent === undefined || parent.isImported) return []; // its records can be elsewhere
    scopes.set(above, new Set());
    // The number of parameters in the path of the records above, and the first record in each of their scopes.
    return [{ name, above, depth: parent.scope.length + 1, first: new Map<string, string>() }];
  });
  return {
    /** Adds rows of a table. */
    add({ name, collection }: Table, rows: readonly Values[]): void {
      const own = lower.find((one) => one.name === name);
      for (const [number, , key] of rows) {
        const address = `${key ?? number}`;
        scopes.get(name)?.add(collection?.isScoped ? `${address}/` : toScope([address]));
        if (own === undefined) continue;
        const scope = `${address.split("/", own.depth).join("/")}/`;
        if (!own.first.has(scope)) own.first.set(scope, address);
      }
    },

    /** Yields a sentence for each missing parent, with one of its orphaned records. */
    *problems(): Generator<string> {
      for (const { name, above, first } of lower)
        for (const [scope, address] of first)
          if (!scopes.get(above)?.has(scope))
            yield `${name} ${address} is orphaned: ${above} ${scope.slice(0, -1)} does not exist.`;
    },
  };
}
