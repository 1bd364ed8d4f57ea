// What both stores need to be opened.
import type { OpenMode, RecordStore } from "./port.ts";
import type { Collection } from "./records.ts";

export interface StoreOptions {
  readonly mode: OpenMode;
  /** The collections that the caller uses. A store can have others. */
  readonly collections: readonly Collection[];
  /** The maximum number of records of each collection, for all processes together; null sets no limit. */
  readonly maxRecords: bigint | null;
  /**
   * Receives the creation of missing indexes, for which the store then does not wait (PostgreSQL only). Until it is complete, lists
   * with these filters are slow.
   */
  readonly inBackground?: ((work: Promise<void>) => void) | undefined;
}

/** Returns the records of a collection. Throws an Error if the store was opened without it. */
export function findCollection<R, N extends object>(
  records: ReadonlyMap<string, RecordStore>,
  name: string,
): RecordStore<R, N> {
  const found = records.get(name);
  if (found === undefined) throw new Error(`The store was opened without the collection ${name}.`);
  return found as RecordStore<R, N>;
}
