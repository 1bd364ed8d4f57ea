// A store as one file, and back. The file is a store by itself: whatever reads SQLite reads it, and the service serves it.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { writeAtomically } from "../lib/index.ts";
import type { Document } from "../spec/index.ts";
import { disableWal, idTables, type OpenTablesOptions, openTables, storeExists, type Tables } from "../store/index.ts";
import { copyTables, type Progress, requireEmpty } from "./copy.ts";
import { check } from "./integrity-check.ts";
import { type Inventory, tableNames } from "./inventory.ts";

/** Told how far the work is: rows that are done, of how many. Where it throws, the work stops. */
export type BackupProgress = (doing: Parameters<Progress>[0] | "checking", done: number, total: number) => void;

/**
 * Makes `file` of all that a store has at one moment, while it goes on, compared and checked. Rejects with an
 * Error that says what is wrong, and leaves no file: also where there is one already.
 */
export function backup(from: Tables, file: string, document: Document, progress: BackupProgress): Promise<Inventory> {
  const make = async (partial: string): Promise<Inventory> => {
    const to = await openTables(`sqlite:${partial}`, "create");
    const fillIt = () =>
      to.write((target) =>
        from.read(async (source) => {
          const filled = await copyTables(target, source, progress);
          for (const name of idTables) await target.setLastId(name, filled.lastIds[name]);
          return filled;
        }),
      );
    const { counts, checksum } = await fillIt().finally(() => to.close());
    disableWal(partial);
    await demandSound(partial, "The backup", document, progress);
    return { counts, checksum };
  };
  return writeAtomically(file, make, { exclusive: true });
}

/**
 * Fills the store that `url` names with what a backup has, all or nothing; one that is not there is made, once the
 * backup was found sound. `force`: also where others use the store, and in place of what it has. An id that either
 * of them has given out is not given out again. `opening` says how to open the store. Rejects with an Error that says
 * what is wrong.
 */
export async function restore(
  file: string,
  url: string,
  document: Document,
  force: boolean,
  progress: BackupProgress,
  opening: OpenTablesOptions = {},
): Promise<Inventory> {
  const place = resolve(file); // SQLite takes some names, as they are, for something else
  if ((await stat(place).catch(() => undefined))?.isDirectory())
    throw new Error(`${place} is a folder: name the file of a backup.`);
  const open = () => openTables(`sqlite:${place}`, "readonly");
  await (await open()).close();
  // What would be refused after all the reading is refused before it.
  if ((await storeExists(url)) && !force) {
    const to = await openTables(url, "migrate");
    await demandFree(to).finally(() => to.close());
  }
  await demandSound(place, place, document, progress);
  const to = await openTables(url, "create", opening);
  const fillIt = async () => {
    if (!force) await demandFree(to); // still, after all that time
    const from = await open();
    return replace(from, to, force, progress).finally(() => from.close());
  };
  return fillIt().finally(() => to.close());
}

function replace(from: Tables, to: Tables, force: boolean, progress: BackupProgress): Promise<Inventory> {
  return to.write(
    (target) =>
      from.read(async (source) => {
        if (force) for (const name of tableNames.toReversed()) await target.remove(name);
        else await requireEmpty(target, full);
        const { lastIds, ...filled } = await copyTables(target, source, progress);
        for (const name of idTables) {
          const last = await target.lastId(name);
          await target.setLastId(name, last > lastIds[name] ? last : lastIds[name]);
        }
        return filled;
      }),
    { exclusive: true },
  );
}

const full = "The store to restore is not empty, and is replaced only with --force: it has";

async function demandFree(to: Tables): Promise<void> {
  if (!(await to.isOnlyConnection()))
    throw new Error("The store to restore is in use: stop its service, or replace under it what it has with --force.");
  await to.read((target) => requireEmpty(target, full));
}

async function demandSound(file: string, what: string, document: Document, progress: BackupProgress): Promise<void> {
  const store = await openTables(`sqlite:${file}`, "readonly");
  let first = "";
  let count = 0;
  const tell = (problem: string) => {
    if (count++ === 0) first = problem;
  };
  await check(store, document, tell, (...far) => progress("checking", ...far)).finally(() => store.close());
  const all = count === 1 ? "1 problem" : `${count} problems`;
  if (count > 0) throw new Error(`${what} is not sound, as petstore check says (${all}): ${first}`);
}
