// A store as one file, and back. The file is a store by itself: whatever reads SQLite reads it, and the service serves it.
import { check } from "./check.ts";
import { demandEmpty, fill, type Progress } from "./copy.ts";
import type { Document } from "./document.ts";
import { type Inventory, names } from "./inventory.ts";
import { openTables } from "./store/open.ts";
import { seal } from "./store/sqlite-connection.ts";
import { numbered, type Tables } from "./store/tables.ts";
import { makeFile } from "./whole-file.ts";

/** Told how far the work is: rows that are done, of how many. Where it throws, the work stops. */
export type BackupProgress = (doing: Parameters<Progress>[0] | "checking", done: number, total: number) => void;

/**
 * Makes `file` of all that a store has at one moment, while it goes on, compared and checked. Rejects with an
 * Error that says what is wrong, and leaves no file: also where there is one already.
 */
export function backup(from: Tables, file: string, document: Document, progress: BackupProgress): Promise<Inventory> {
  const make = async (partial: string): Promise<Inventory> => {
    const to = await openTables(`sqlite:${partial}`, "make");
    const fillIt = () =>
      to.write((target) =>
        from.read(async (source) => {
          const filled = await fill(target, source, progress);
          for (const name of numbered) await target.setLastId(name, filled.lastIds[name]);
          return filled;
        }),
      );
    const { counts, checksum } = await fillIt().finally(() => to.close());
    seal(partial);
    await demandSound(partial, "The backup", document, progress);
    return { counts, checksum };
  };
  return makeFile(file, make, { anew: true });
}

/**
 * Fills a store with what a backup has, all or nothing. `force`: also where others use the store, and in
 * place of what it has. An id that either of them has given out is not given out again.
 */
export async function restore(
  file: string,
  to: Tables,
  document: Document,
  force: boolean,
  progress: BackupProgress,
): Promise<Inventory> {
  await demandSound(file, file, document, progress);
  if (!force && !(await to.isAlone()))
    throw new Error("The store to restore is in use: stop its service, or replace under it what it has with --force.");
  const from = await openTables(`sqlite:${file}`, "look");
  const replace = () =>
    to.write((target) =>
      from.read(async (source) => {
        if (force) for (const name of names.toReversed()) await target.remove(name);
        else await demandEmpty(target, "The store to restore is not empty, and is replaced only with --force: it has");
        const { lastIds, ...filled } = await fill(target, source, progress);
        for (const name of numbered) {
          const last = await target.lastId(name);
          await target.setLastId(name, last > lastIds[name] ? last : lastIds[name]);
        }
        return filled;
      }),
    );
  return replace().finally(() => from.close());
}

async function demandSound(file: string, what: string, document: Document, progress: BackupProgress): Promise<void> {
  const store = await openTables(`sqlite:${file}`, "look");
  const problems: string[] = [];
  const tell = (problem: string) => problems.push(problem);
  await check(store, document, tell, (...far) => progress("checking", ...far)).finally(() => store.close());
  const [first] = problems;
  if (first !== undefined)
    throw new Error(`${what} is not sound, as petstore check says (${problems.length} problems): ${first}`);
}
