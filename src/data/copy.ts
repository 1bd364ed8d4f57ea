// From one store to another, all or nothing: what is there in the end was compared with what was read.

import { type IdTable, idTables, type TableReader, type Tables, type TableWriter } from "../store/index.ts";
import { countRows, type Inventory, readAllRows, tableNames, toText, totalRows } from "./inventory.ts";
/** Told after each batch how far the work is: rows that are done, of how many. */
export type Progress = (doing: "copying" | "comparing", done: number, total: number) => void;

/** What was copied, and the ids that were given out last. */
export type CopyResult = Inventory & { readonly lastIds: Readonly<Record<IdTable, bigint>> };

/**
 * Copies all that `from` has into `to`, which must be empty: the pets, keys and records of
 * Idempotency-Keys, the secret that signs cursors, and which id comes next. Rejects with an Error
 * that says what is wrong, and leaves `to` as it was; also where `from` was written to meanwhile.
 */
export async function copy(from: Tables, to: Tables, progress: Progress): Promise<Inventory> {
  // Before one of them is taken: who reads it would wait for who fills it.
  const read = (store: Tables) => store.read((source) => source.secrets());
  const [[secret], [other]] = [await read(from), await read(to)];
  if (toText(secret as Uint8Array) === toText(other as Uint8Array)) throw new Error("The two stores are the same.");
  const work = async (target: TableWriter) => {
    const { lastIds, ...copied } = await from.read(async (source) => {
      await requireEmpty(target, "The store to copy to is not empty: it has");
      return copyTables(target, source, progress);
    });
    const now = await from.read(async (source) => ({
      counts: await countRows(source),
      lastIds: await readLastIds(source),
    }));
    const more = now.counts.pets - copied.counts.pets;
    if (more > 0 || now.counts.keys !== copied.counts.keys || now.lastIds.keys !== lastIds.keys)
      throw new Error(
        `The store to copy was written to meanwhile (${more} more pets): stop its service, and copy again. Nothing was kept.`,
      );
    for (const name of idTables) await target.setLastId(name, lastIds[name]);
    return copied;
  };
  return to.write(work, { exclusive: true });
}

/** Rejects where there is a row in any table: with `words`, and what there is. */
export async function requireEmpty(target: TableReader, words: string): Promise<void> {
  const found = await countRows(target);
  const full = tableNames.filter((name) => found[name] > 0).map((name) => `${found[name]} rows in ${name}`);
  if (full.length > 0) throw new Error(`${words} ${full.join(", ")}.`);
}

/**
 * Fills `target`, which is empty, with all that `source` has, and compares. The ids that came last there
 * are for the caller to set, when nothing can fail any more.
 */
export async function copyTables(target: TableWriter, source: TableReader, progress: Progress): Promise<CopyResult> {
  const counts = await countRows(source);
  const all = totalRows(counts);
  const lastIds = await readLastIds(source);
  const read = await readAllRows(
    source,
    (done) => progress("copying", done, all),
    (table, rows) => target.add(table, rows),
  );
  const [secret] = (await source.secrets()) as [Uint8Array];
  await target.setSecret(secret);
  const checksum = await readAllRows(target, (done) => progress("comparing", done, all));
  const kept = await countRows(target);
  if (checksum !== read || tableNames.some((name) => kept[name] !== counts[name]))
    throw new Error("The copy is not the same as what was to be copied. Nothing was kept.");
  return { counts, checksum, lastIds: lastIds };
}

// One after the other: a connection answers one question at a time.
async function readLastIds(source: TableReader): Promise<Record<IdTable, bigint>> {
  const ids: Partial<Record<IdTable, bigint>> = {};
  for (const name of idTables) ids[name] = await source.lastId(name);
  return ids as Record<IdTable, bigint>;
}
