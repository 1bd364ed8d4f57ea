// Finds orphaned records, whose parent does not exist: those of an import, or of a version that did not delete them.
import type { Document } from "../openapi/index.ts";
import { planOf } from "../resources/index.ts";
import { type Table, toScope, type Values } from "../store/index.ts";

/** Compares the records of all tables. It keeps a short text for each record that can have others below it. */
export class ParentCheck {
  /** By the name of a collection: the one above it, and the number of parameters in the path of its records. */
  readonly #above = new Map<string, { readonly name: string; readonly depth: number }>();
  readonly #scopes = new Map<string, Set<string>>(); // of the records of the collections above
  readonly #first = new Map<string, Map<string, string>>(); // the first record in each of these scopes

  constructor(document: Document) {
    const { collections } = planOf(document);
    for (const { name, above } of collections) {
      const parent = collections.find((one) => one.name === above);
      if (above === undefined || parent === undefined || parent.isImported) continue; // its records can be elsewhere
      const depth = parent.scope.length + 1;
      this.#above.set(name, { name: above, depth });
      this.#scopes.set(above, new Set());
      this.#first.set(name, new Map());
    }
  }

  /** Adds rows of a table. */
  add({ name, collection }: Table, rows: readonly Values[]): void {
    const scopes = this.#scopes.get(name);
    const first = this.#first.get(name);
    for (const [number, , key] of rows) {
      const address = `${key ?? number}`;
      scopes?.add(collection?.isScoped ? `${address}/` : toScope([address]));
      const { depth = 0 } = this.#above.get(name) ?? {};
      const scope = `${address.split("/", depth).join("/")}/`;
      if (first && !first.has(scope)) first.set(scope, address);
    }
  }

  /** Yields a sentence for each missing parent, with one of its orphaned records. */
  *problems(): Generator<string> {
    for (const [name, first] of this.#first) {
      const above = this.#above.get(name)?.name ?? "";
      for (const [scope, address] of first)
        if (!this.#scopes.get(above)?.has(scope))
          yield `${name} ${address} is orphaned: ${above} ${scope.slice(0, -1)} does not exist.`;
    }
  }
}
