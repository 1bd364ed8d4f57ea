// Backs up a store to one SQLite file, which is itself a store: the service can serve it, and SQLite tools can read it.
import { writeAtomically } from "../lib/index.ts";
import type { Document } from "../openapi/application.ts";
import { collectionsOf } from "../resources/index.ts";
import { disableWal, idTablesOf, openTables, type Tables } from "../store/index.ts";
import type { StoreSummary } from "./checksum.ts";
import { type CopyProgress, copyTables } from "./copy.ts";
import { checkIntegrity } from "./integrity-check.ts";

/** Called after each batch with the number of rows. Stops the backup or restore if it throws. */
export type BackupProgress = (phase: Parameters<CopyProgress>[0] | "checking", done: number, total: number) => void;

/**
 * Writes a snapshot of a store to `file`, compares the checksums, and checks the integrity of the file. The store can
 * be in use. Rejects with an Error that describes the problem, and then leaves no file. Also rejects if `file` exists.
 */
export function backup(
  from: Tables,
  file: string,
  document: Document,
  progress: BackupProgress,
): Promise<StoreSummary> {
  const write = async (partial: string): Promise<StoreSummary> => {
    const { counts, checksum } = await copyToFile(from, partial, document, progress);
    disableWal(partial);
    await requireSound(partial, "The backup", document, progress);
    return { counts, checksum };
  };
  return writeAtomically(file, write, { exclusive: true, suffixes: ["-wal", "-shm", "-journal"] });
}

async function copyToFile(
  from: Tables,
  file: string,
  document: Document,
  progress: BackupProgress,
): Promise<StoreSummary> {
  const to = await openTables(`sqlite:${file}`, "create", { collections: collectionsOf(document) });
  const copySnapshot = () =>
    to.write((target) =>
      from.read(async (source) => {
        const result = await copyTables(target, source, progress);
        for (const name of idTablesOf(target.tables)) await target.setLastId(name, result.lastIds[name] as bigint);
        return result;
      }),
    );
  return copySnapshot().finally(() => to.close());
}

/** Checks the integrity of a SQLite file. Rejects with an Error that names the file as `name` if it has problems. */
export async function requireSound(
  file: string,
  name: string,
  document: Document,
  progress: BackupProgress,
): Promise<void> {
  const store = await openTables(`sqlite:${file}`, "readonly", { collections: collectionsOf(document) });
  let firstProblem = "";
  let count = 0;
  const report = (problem: string) => {
    if (count++ === 0) firstProblem = problem;
  };
  const showProgress = (done: number, total: number) => progress("checking", done, total);
  await checkIntegrity(store, document, report, showProgress).finally(() => store.close());
  const problems = count === 1 ? "1 problem" : `${count} problems`;
  if (count > 0) throw new Error(`${name} failed the integrity check (${problems}): ${firstProblem}`);
}
