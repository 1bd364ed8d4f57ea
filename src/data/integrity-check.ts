// Checks the integrity of a store: the structure of the database, the next id of each table, and each record against
// the document.
import type { Document } from "../openapi/index.ts";
import { idTablesOf, maxNumber, type TableReader, type Tables } from "../store/index.ts";
import { type StoreSummary, summarizeRows } from "./checksum.ts";
import { createParentCheck } from "./missing-parents.ts";
import { createRowCheck, type RowProblem } from "./row-rules.ts";

/** Called for each problem. `ofDocument` is set if only the document does not allow a row: it can be copied and restored as it is. */
export type ReportProblem = (...problem: RowProblem) => void;

/**
 * Checks one snapshot of a store, and calls `report` for each problem. Returns a summary of the store, or undefined if
 * a problem prevents it from reading all rows. `progress` receives numbers of rows. Rejects with what `progress`
 * throws.
 */
export async function checkIntegrity(
  store: Tables,
  document: Document,
  report: ReportProblem,
  progress: (done: number, total: number) => void,
): Promise<StoreSummary | undefined> {
  const findProblems = createRowCheck(document);
  const parents = createParentCheck(document);
  let cancellation: unknown;
  const showProgress = (done: number, total: number) => {
    try {
      progress(done, total);
    } catch (error) {
      cancellation = error;
      throw error;
    }
  };
  const checkSnapshot = async (source: TableReader): Promise<StoreSummary> => {
    for await (const problem of source.problems()) report(problem, false);
    await checkIdentity(source, report);
    const highestIds: Record<string, bigint> = {};
    const summary = await summarizeRows(source, showProgress, async (table, rows) => {
      for (const row of rows) for (const problem of findProblems(table, row)) report(...problem);
      parents.add(table, rows);
      highestIds[table.name] = rows.at(-1)?.[0] as bigint;
    });
    for (const problem of parents.problems()) report(problem, true);
    await checkLastIds(source, highestIds, report);
    return summary;
  };
  try {
    return await store.read(checkSnapshot);
  } catch (error) {
    if (error === cancellation) throw error;
    report(`The database can't be read completely: ${(error as Error).message.replace(/\.$/, "")}.`, false);
    return undefined;
  }
}

// In PostgreSQL, creates lock the row of the table `secret`.
async function checkIdentity(source: TableReader, report: ReportProblem): Promise<void> {
  const { length } = await source.identities();
  if (length !== 1) report(`The table secret must have one row, and has ${length}.`, false);
}

// `highestIds` is by table.
async function checkLastIds(source: TableReader, highestIds: Record<string, bigint>, report: ReportProblem) {
  for (const table of idTablesOf(source.tables)) {
    const [lastId, highestId = 0n] = [await source.lastId(table), highestIds[table]];
    if (lastId < highestId)
      report(`The next id of ${table} would be ${lastId + 1n}, but the highest id is ${highestId}.`, false);
    if (lastId > maxNumber) report(`No id of ${table} can follow the last one, ${lastId}.`, false);
  }
}
