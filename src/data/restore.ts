// Restores a store from a backup in one transaction.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Document } from "../openapi/index.ts";
import { collectionsOf } from "../resources/index.ts";
import {
  collectionsIn,
  type OpenMode,
  type OpenTablesOptions,
  openTables,
  sharedTables,
  storeExists,
  type TableReader,
  type Tables,
  type TableWriter,
  type Values,
  withoutConstraints,
} from "../store/index.ts";
import { type BackupProgress, type BackupSummary, requireSound } from "./backup.ts";
import { type StoreSummary, summarizeRows, valueToText } from "./checksum.ts";
import { copyTables, countUnusedIds, requireEmpty, setLastIds } from "./copy.ts";

export interface RestoreOptions extends OpenTablesOptions {
  readonly document: Document;
  readonly progress: BackupProgress;
  /** Replaces all rows of a store that is not empty, even while it is in use. */
  readonly force?: boolean | undefined;
  /**
   * Keeps the keys of the store, instead of those of the backup. Does not restore the Idempotency-Keys, which belong to the keys of
   * the backup.
   */
  readonly withoutKeys?: boolean | undefined;
  /** Called before a store with data is replaced. Rejects to leave it unchanged. */
  readonly confirm?: ((replacement: Replacement) => Promise<void>) | undefined;
}

/** What a forced restore replaces, by what. */
export interface Replacement {
  readonly store: StoreState;
  readonly backup: StoreState;
  /** The names of the keys that only the store has. Empty if its keys are kept. */
  readonly lostKeys: readonly string[];
}

/** The number of keys, and of records with the last id of each collection, by name. */
export interface StoreState {
  readonly keys: number;
  readonly collections: Readonly<Record<string, { readonly records: number; readonly lastId: bigint }>>;
}

/** A summary of the restored store, and the names of the keys that only the backup had if it replaced a store. */
export type RestoreSummary = BackupSummary & { readonly restoredKeys: readonly string[] };

const notEmpty = "The database is not empty. Use --force to replace its data.";

/**
 * Restores the store at `url` from a backup, also its invalid records and the collections that the document does not have. Checks
 * the integrity of the backup first, and creates the store if it does not exist. Ids that the store or the backup has generated are never generated again. Rejects with an Error that
 * describes the problem, and then leaves the store unchanged.
 */
export async function restore(
  file: string,
  url: string,
  { document, progress, force = false, withoutKeys, confirm, ...options }: RestoreOptions,
): Promise<RestoreSummary> {
  const path = resolve(file); // SQLite gives some relative names another meaning, such as :memory:
  if ((await stat(path).catch(() => undefined))?.isDirectory())
    throw new Error(`${path} is a directory. Specify the file of a backup.`);
  const collections = collectionsOf(document);
  const openBackup = () => openTables(`sqlite:${path}`, "readonly", { collections });
  const backup = await openBackup();
  const all = collectionsIn(backup.tables);
  await backup.close();
  const openTarget = (mode: OpenMode, used = collections) => openTables(url, mode, { ...options, collections: used });
  const exists = await storeExists(url, { ...options, collections }); // rejects one of a later version, also with `force`
  // Fails before the integrity check, which takes long.
  if (exists && !force) {
    const to = await openTarget("migrate");
    await requireEmptyAndUnused(to).finally(() => to.close());
  }
  const invalid = await requireSound(path, path, document, progress);
  // After the check, because a query of a crafted backup can be endless.
  if (exists && force && confirm)
    await confirmReplacement(openBackup, () => openTarget("migrate"), { withoutKeys, confirm });
  // Rows are written in the order of the tables, and not in that of their references.
  const to = await openTarget("create", withoutConstraints(all));
  const fill = async () => {
    if (!force) await requireEmptyAndUnused(to); // a service can have started meanwhile
    const from = await openBackup();
    return replaceRows(from, to, { force, withoutKeys }, progress).finally(() => from.close());
  };
  const summary = await fill().finally(() => to.close());
  await (await openTarget("create", all)).close();
  return { ...summary, invalid };
}

async function confirmReplacement(
  openBackup: () => Promise<Tables>,
  openTarget: () => Promise<Tables>,
  { withoutKeys, confirm }: Pick<RestoreOptions, "withoutKeys" | "confirm">,
): Promise<void> {
  const describe = async (tables: Tables) => {
    const read = async (source: TableReader) => {
      const state: Record<string, { records: number; lastId: bigint }> = {};
      for (const { name, collection } of source.tables)
        if (collection) state[name] = { records: await source.count(name), lastId: await source.lastId(name) };
      return { collections: state, keys: await readKeys(source) };
    };
    return tables.read(read).finally(() => tables.close());
  };
  const store = await describe(await openTarget());
  const counts = Object.values(store.collections).map(({ records }) => records);
  if ([...counts, store.keys.length].every((count) => count === 0)) return;
  const backup = await describe(await openBackup());
  const lostKeys = withoutKeys ? [] : nameOtherKeys(store.keys, backup.keys);
  const toState = ({ collections, keys }: typeof store): StoreState => ({ collections, keys: keys.length });
  await confirm?.({ store: toState(store), backup: toState(backup), lostKeys });
}

function replaceRows(
  from: Tables,
  to: Tables,
  { force, withoutKeys }: { readonly force: boolean; readonly withoutKeys: boolean | undefined },
  progress: BackupProgress,
): Promise<Omit<RestoreSummary, "invalid">> {
  return to.write(
    (target) =>
      from.read(async (source) => {
        const keys = await readKeys(target);
        const restoredKeys = force && !withoutKeys ? nameOtherKeys(await readKeys(source), keys) : [];
        const unusedIds = await countUnusedIds(target);
        if (force) for (const { name } of target.tables) await target.remove(name);
        else await requireEmpty(target, notEmpty);
        const { lastIds, ...summary } = await copyTables(target, source, progress);
        await setLastIds(target, { lastIds, ...summary }, unusedIds);
        const restored = withoutKeys ? await replaceKeys(target, keys, progress) : summary;
        return { ...restored, restoredKeys };
      }),
    { blocks: "all" },
  );
}

async function readKeys(source: TableReader): Promise<Values[]> {
  return (await Array.fromAsync(source.rows("keys"))).flat();
}

/** Returns the names of the keys that are not among `others`. A key is identified by its hash. */
function nameOtherKeys(keys: readonly Values[], others: readonly Values[]): string[] {
  const columns = Object.keys(sharedTables.keys);
  const hashOf = (key: Values) => valueToText(key[columns.indexOf("hash")] as Uint8Array);
  const hashes = new Set(others.map(hashOf));
  return keys.filter((key) => !hashes.has(hashOf(key))).map((key) => String(key[columns.indexOf("name")]));
}

async function replaceKeys(
  target: TableWriter,
  keys: readonly Values[],
  progress: BackupProgress,
): Promise<StoreSummary> {
  await target.remove("idempotency"); // its callers are keys of the backup
  await target.remove("keys");
  await target.add("keys", keys);
  return summarizeRows(target, (...rows) => progress("comparing", ...rows));
}

async function requireEmptyAndUnused(to: Tables): Promise<void> {
  if (!(await to.isOnlyConnection()))
    throw new Error("The database is in use. Stop the service, or use --force to replace its data.");
  await to.read((target) => requireEmpty(target, notEmpty));
}
