// Backs up a store to one SQLite file, which is itself a store: the service can serve it, and SQLite tools can read it.
import { writeAtomically } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import { collectionsOf } from "../resources/index.ts";
import { collectionsIn, disableWal, idTablesOf, openTables, type Tables, withoutConstraints } from "../store/index.ts";
import type { StoreSummary } from "./checksum.ts";
import { type CopyProgress, copyTables } from "./copy.ts";
import { checkIntegrity, type ReportProblem } from "./integrity-check.ts";

/** Called after each batch with the number of rows. Stops the backup or restore if it throws. */
export type BackupProgress = (phase: Parameters<CopyProgress>[0] | "checking", done: number, total: number) => void;

/** The rows that the document does not allow, which a backup and a restore keep: their number, and the first problems. */
export type InvalidRows = { readonly count: number; readonly problems: readonly string[] };

/** A summary of the rows of a backup. */
export type BackupSummary = StoreSummary & { readonly invalid: InvalidRows };

/**
 * Writes a snapshot of all collections of a store to `file`, also of those that the document does not have, compares the
 * checksums, and checks the integrity of the file. The store can be in use. Rejects with an Error that describes the
 * problem, and then leaves no file. Also rejects if `file` exists.
 */
export function backup(
  from: Tables,
  file: string,
  document: Document,
  progress: BackupProgress,
): Promise<BackupSummary> {
  const write = async (partial: string): Promise<BackupSummary> => {
    const { counts, checksum } = await copyToFile(from, partial, progress);
    disableWal(partial);
    return { counts, checksum, invalid: await requireSound(partial, "The backup", document, progress) };
  };
  return writeAtomically(file, write, { exclusive: true, suffixes: ["-wal", "-shm", "-journal"] });
}

async function copyToFile(from: Tables, file: string, progress: BackupProgress): Promise<StoreSummary> {
  const collections = withoutConstraints(collectionsIn(from.tables)); // rows are not in the order of their references
  const to = await openTables(`sqlite:${file}`, "create", { collections });
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

const maxProblems = 10; // that are named

/** Checks a SQLite file, and returns its invalid rows. Rejects with an Error that names the file as `name` if it is damaged. */
export async function requireSound(
  file: string,
  name: string,
  document: Document,
  progress: BackupProgress,
): Promise<InvalidRows> {
  const store = await openTables(`sqlite:${file}`, "readonly", { collections: collectionsOf(document) });
  const damage = { count: 0, problems: [] as string[] };
  const invalid = { count: 0, problems: [] as string[] };
  const report: ReportProblem = (problem, ofDocument) => {
    const found = ofDocument ? invalid : damage;
    if (found.count++ < maxProblems) found.problems.push(problem);
  };
  const showProgress = (done: number, total: number) => progress("checking", done, total);
  await checkIntegrity(store, document, report, showProgress).finally(() => store.close());
  const problems = damage.count === 1 ? "1 problem" : `${damage.count} problems`;
  if (damage.count > 0) throw new Error(`${name} failed the integrity check (${problems}): ${damage.problems[0]}`);
  return invalid;
}
