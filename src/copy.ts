// From one store to another, all or nothing: what is there in the end was compared with what was read.
import { count, type Inventory, names, toText, total, walk } from "./inventory.ts";
import { type Numbered, numbered, type Source, type Tables, type Target } from "./store/tables.ts";

/** Told after each batch how far the work is: rows that are done, of how many. */
export type Progress = (doing: "copying" | "comparing", done: number, total: number) => void;

/** What was copied, and the ids that were given out last. */
export type Filled = Inventory & { readonly lastIds: Readonly<Record<Numbered, bigint>> };

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
  const work = async (target: Target) => {
    const { lastIds, ...copied } = await from.read(async (source) => {
      await demandEmpty(target, "The store to copy to is not empty: it has");
      return fill(target, source, progress);
    });
    const now = await from.read(async (source) => ({
      counts: await count(source),
      lastIds: await readLastIds(source),
    }));
    const more = now.counts.pets - copied.counts.pets;
    if (more > 0 || now.counts.keys !== copied.counts.keys || now.lastIds.keys !== lastIds.keys)
      throw new Error(
        `The store to copy was written to meanwhile (${more} more pets): stop its service, and copy again. Nothing was kept.`,
      );
    for (const name of numbered) await target.setLastId(name, lastIds[name]);
    return copied;
  };
  return to.write(work, { alone: true });
}

/** Rejects where there is a row in any table: with `words`, and what there is. */
export async function demandEmpty(target: Source, words: string): Promise<void> {
  const found = await count(target);
  const full = names.filter((name) => found[name] > 0).map((name) => `${found[name]} rows in ${name}`);
  if (full.length > 0) throw new Error(`${words} ${full.join(", ")}.`);
}

/**
 * Fills `target`, which is empty, with all that `source` has, and compares. The ids that came last there
 * are for the caller to set, when nothing can fail any more.
 */
export async function fill(target: Target, source: Source, progress: Progress): Promise<Filled> {
  const counts = await count(source);
  const all = total(counts);
  const lastIds = await readLastIds(source);
  const read = await walk(source, (done) => progress("copying", done, all), target.add);
  const [secret] = (await source.secrets()) as [Uint8Array];
  await target.setSecret(secret);
  const checksum = await walk(target, (done) => progress("comparing", done, all));
  const kept = await count(target);
  if (checksum !== read || names.some((name) => kept[name] !== counts[name]))
    throw new Error("The copy is not the same as what was to be copied. Nothing was kept.");
  return { counts, checksum, lastIds };
}

// One after the other: a connection answers one question at a time.
async function readLastIds(source: Source): Promise<Record<Numbered, bigint>> {
  const ids: Partial<Record<Numbered, bigint>> = {};
  for (const name of numbered) ids[name] = await source.lastId(name);
  return ids as Record<Numbered, bigint>;
}
