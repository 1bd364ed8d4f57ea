// Copies all tables of a store to an empty store in one transaction, and compares the checksums before the commit.
import { idTablesOf, type TableReader, type Tables, type TableWriter } from "../store/index.ts";
import { countRows, type StoreSummary, summarizeRows, valueToText } from "./checksum.ts";

/** Called after each batch with the number of rows. Stops the copy if it throws. */
export type CopyProgress = (phase: "copying" | "comparing", done: number, total: number) => void;

/** A summary of the copied rows, and the last id of each table that generates ids. */
export type CopyResult = StoreSummary & { readonly lastIds: Readonly<Record<string, bigint>> };

/**
 * Copies records, keys, Idempotency-Keys and the last ids to an empty store, which has the collections of `from`. Rejects with
 * an Error that describes the problem, and then leaves `to` unchanged. Also rejects if `from` changes during the copy.
 */
export async function copy(from: Tables, to: Tables, progress: CopyProgress): Promise<StoreSummary> {
  await requireDifferentStores(from, to);
  const work = async (target: TableWriter) => {
    const unusedIds = await countUnusedIds(target);
    const { lastIds, ...summary } = await from.read(async (source) => {
      await requireEmpty(target, "The target database is not empty.");
      return copyTables(target, source, progress);
    });
    await requireUnchanged(from, summary, lastIds);
    await setLastIds(target, { lastIds, ...summary }, unusedIds);
    return summary;
  };
  return to.write(work, { blocks: "all" });
}

// Must run before the write transaction begins: on the same store, the read would wait for the lock of the write.
async function requireDifferentStores(from: Tables, to: Tables): Promise<void> {
  const readIdentity = async (store: Tables) => {
    const [identity] = await store.read((source) => source.identities());
    return valueToText(identity as Uint8Array);
  };
  if ((await readIdentity(from)) === (await readIdentity(to)))
    throw new Error("The target is the source database, or a copy of it. Copy into an empty database.");
}

async function requireUnchanged(from: Tables, { counts }: StoreSummary, lastIds: CopyResult["lastIds"]): Promise<void> {
  const current = await from.read(async (source) => ({
    counts: await countRows(source),
    lastIds: await readLastIds(source),
  }));
  const changed = Object.keys(lastIds).filter(
    (name) => current.counts[name] !== counts[name] || current.lastIds[name] !== lastIds[name],
  );
  if (changed.length > 0)
    throw new Error(
      `The source changed during the copy: ${changed.join(", ")}. Nothing was copied. Stop the service, and copy again.`,
    );
}

// It has rows as soon as a service has started. They are about the records, and so replaced with them.
const schemasTable = "record_schemas";

/** Rejects if a table has rows. The message is `problem` and the number of rows in each table. */
export async function requireEmpty(target: TableReader, problem: string): Promise<void> {
  const counts = await countRows(target);
  const nonEmpty = Object.entries(counts).flatMap(([name, count]) =>
    count > 0 && name !== schemasTable ? [`${name} (${count})`] : [],
  );
  if (nonEmpty.length > 0) throw new Error(`${problem} It has rows in: ${nonEmpty.join(", ")}.`);
}

/** Copies all rows to an empty target, and compares the checksums. The caller sets the last ids. */
export async function copyTables(
  target: TableWriter,
  source: TableReader,
  progress: CopyProgress,
): Promise<CopyResult> {
  const lastIds = await readLastIds(source);
  await target.remove(schemasTable);
  const { counts, checksum } = await summarizeRows(
    source,
    (...rows) => progress("copying", ...rows),
    (table, rows) => target.add(table.name, rows),
  );
  const copy = await summarizeRows(target, (...rows) => progress("comparing", ...rows));
  if (copy.checksum !== checksum || Object.keys(counts).some((name) => copy.counts[name] !== counts[name]))
    throw new Error("The copy differs from the source, and was discarded.");
  return { counts, checksum, lastIds };
}

/** Counts the ids of a store that were generated, and have no row. */
export async function countUnusedIds(source: TableReader): Promise<Record<string, bigint>> {
  const unusedIds = await readLastIds(source);
  for (const name in unusedIds) unusedIds[name] = (unusedIds[name] as bigint) - BigInt(await source.count(name));
  return unusedIds;
}

/**
 * Sets the last ids of a target after its rows were replaced, so that no id of the source or the target is generated
 * again. `unusedIds` counts those of the target before. Their number must not decrease: it is part of the limit by which
 * a running service enforces MAX_RECORDS.
 */
export async function setLastIds(
  target: TableWriter,
  { counts, lastIds }: Pick<CopyResult, "counts" | "lastIds">,
  unusedIds: Readonly<Record<string, bigint>>,
): Promise<void> {
  for (const [name, unused] of Object.entries(unusedIds)) {
    // The source can lack a collection that the document does not have.
    const ids = [await target.lastId(name), lastIds[name] ?? 0n, BigInt(counts[name] ?? 0) + unused];
    await target.setLastId(
      name,
      ids.reduce((a, b) => (a > b ? a : b)),
    );
  }
}

// Sequentially: all queries of a transaction use the same connection.
async function readLastIds(source: TableReader): Promise<Record<string, bigint>> {
  const ids: Record<string, bigint> = {};
  for (const name of idTablesOf(source.tables)) ids[name] = await source.lastId(name);
  return ids;
}
