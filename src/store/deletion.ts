// Deletes a record with all records below it, so that another one with its id does not have them.
import type { ChangeResult, RecordId, RecordStore, Records, Store } from "./port.ts";

const maxRemoved = 10_000; // records of one transaction: SQLite deletes them in some 30 ms, during which it serves no other call

/** What is to be deleted: a record at an address of a collection, and the records of a scope. */
export interface Deletion {
  readonly collection: string;
  readonly address: RecordId;
  readonly scope: string;
  /** The collections that have records in the scope, from the highest to the lowest. */
  readonly below: readonly string[];
}

/**
 * Deletes a record, if `isAllowed` returns true for it, and all records below it. Atomic, unless more than 10,000 are below it. Then
 * those are deleted before it, the lowest first: each record has the one above it at any time, and a deletion that was interrupted can
 * be repeated. It then takes place when `isAllowed` is called, and so it also deletes what is created or changed meanwhile.
 */
export async function removeWithBelow<R>(
  { records, transaction }: Pick<Store, "records" | "transaction">,
  { collection, address, scope, below }: Deletion,
  isAllowed?: Parameters<RecordStore<R>["remove"]>[1],
): Promise<ChangeResult<R>> {
  if (below.length === 0) return records<R>(collection).remove(address, isAllowed);
  const run = <T>(work: (all: Records) => Promise<T>) => transaction(work, { isDeletion: true });
  // Its number tells a record from a later one with the same id.
  // Not `find`, which shares its lock: two deletions would wait for each other before they delete it.
  const lock = (all: Records) => all(collection).change(address, () => undefined);
  const numberIn = (all: Records) => all(collection).position(address);
  // All transactions lock records in this order, from the highest to the lowest, so that they can't deadlock.
  const removeAll = async (all: Records): Promise<ChangeResult<R>> => {
    await lock(all);
    const number = await numberIn(all);
    if (begun !== undefined && number !== begun) return { outcome: "missing" };
    const result = await all<R>(collection).remove(address, begun === undefined ? isAllowed : undefined);
    let room = maxRemoved;
    if (result.outcome === "changed")
      for (const name of below) {
        room -= await all(name).removeBelow(scope, room + 1);
        if (room < 0) throw new LargeDeletion(number as bigint);
      }
    return result;
  };
  const removeBatch = (name: string) =>
    run(async (all) => {
      await lock(all);
      return (await numberIn(all)) === begun ? all(name).removeBelow(scope, maxRemoved) : 0;
    });
  let begun: bigint | undefined; // the number of a record that has more below it
  for (;;) {
    try {
      return await run(removeAll);
    } catch (error) {
      if (!(error instanceof LargeDeletion)) throw error;
      begun = error.number;
    }
    for (const name of below.toReversed()) while ((await removeBatch(name)) > 0);
  }
}

/** Rolls the transaction back, because more records are below a record than one transaction deletes. */
class LargeDeletion extends Error {
  readonly number: bigint;

  constructor(number: bigint) {
    super("More records are below the record than one transaction deletes.");
    this.number = number;
  }
}
