// Restores a store from a backup in one transaction.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Document } from "../spec/index.ts";
import { idTables, type OpenTablesOptions, openTables, storeExists, type Tables } from "../store/index.ts";
import { type BackupProgress, requireSound } from "./backup.ts";
import { type StoreSummary, tableNames } from "./checksum.ts";
import { copyTables, requireEmpty } from "./copy.ts";

const notEmpty = "The store to restore is not empty, and is replaced only with --force: it has";

/**
 * Restores the store at `url` from a backup. Checks the integrity of the backup first, and creates the store if it does
 * not exist. Ids that the store or the backup has generated are never generated again. Rejects with an Error that
 * describes the problem, and then leaves the store unchanged.
 *
 * `force` replaces all rows of a store that is not empty, even while it is in use.
 */
export async function restore(
  file: string,
  url: string,
  document: Document,
  force: boolean,
  progress: BackupProgress,
  options: OpenTablesOptions = {},
): Promise<StoreSummary> {
  const path = resolve(file); // SQLite gives some relative names another meaning, such as :memory:
  if ((await stat(path).catch(() => undefined))?.isDirectory())
    throw new Error(`${path} is a folder: name the file of a backup.`);
  const openBackup = () => openTables(`sqlite:${path}`, "readonly");
  await (await openBackup()).close();
  // Fails before the integrity check, which takes long. storeExists rejects stores of another version, also with
  // `force`.
  if ((await storeExists(url)) && !force) {
    const to = await openTables(url, "migrate");
    await requireEmptyAndUnused(to).finally(() => to.close());
  }
  await requireSound(path, path, document, progress);
  const to = await openTables(url, "create", options);
  const fill = async () => {
    if (!force) await requireEmptyAndUnused(to); // a service can have started meanwhile
    const from = await openBackup();
    return replaceRows(from, to, force, progress).finally(() => from.close());
  };
  return fill().finally(() => to.close());
}

function replaceRows(from: Tables, to: Tables, force: boolean, progress: BackupProgress): Promise<StoreSummary> {
  return to.write(
    (target) =>
      from.read(async (source) => {
        if (force) for (const name of tableNames.toReversed()) await target.remove(name);
        else await requireEmpty(target, notEmpty);
        const { lastIds, ...summary } = await copyTables(target, source, progress);
        for (const name of idTables) {
          const lastId = await target.lastId(name);
          await target.setLastId(name, lastId > lastIds[name] ? lastId : lastIds[name]);
        }
        return summary;
      }),
    { exclusive: true },
  );
}

async function requireEmptyAndUnused(to: Tables): Promise<void> {
  if (!(await to.isOnlyConnection()))
    throw new Error("The store to restore is in use: stop its service, or replace under it what it has with --force.");
  await to.read((target) => requireEmpty(target, notEmpty));
}
