// What both stores need to be opened.
import type { OpenMode } from "./port.ts";
import type { Collection } from "./records.ts";

export interface StoreOptions {
  readonly mode: OpenMode;
  /** The name of the service, and so of the schema that has its tables (PostgreSQL only). */
  readonly service: string;
  /** The collections that the caller uses. A store can have others. */
  readonly collections: readonly Collection[];
  /** Receives a sentence for the operator, if the tables are in another schema (PostgreSQL only). */
  readonly report?: ((message: string) => void) | undefined;
  /**
   * The maximum number of records of each collection, for all processes together; null sets no limit. Opening the store counts its
   * records.
   */
  readonly maxRecords: bigint | null;
  /**
   * Receives the creation of missing indexes of filters, for which the store then does not wait (PostgreSQL only): until it is complete,
   * lists with these filters are slow. Receives the failure of other indexes, too, without which their lists are slow.
   */
  readonly inBackground?: ((work: Promise<void>) => void) | undefined;
}

/** The name of the Pet Store. */
export const petStoreService = "petstore";

/** Returns what a store has of a collection. Throws an Error if the store was opened without it. */
export function findCollection<T>(byName: ReadonlyMap<string, T>, name: string): T {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`The store was opened without the collection ${name}.`);
  return found;
}
