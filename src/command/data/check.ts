// check: checks the integrity of a store.
import { checkIntegrity } from "../../data/index.ts";
import { describeUnserved } from "../../resources/index.ts";
import {
  CommandFailure,
  formatFields,
  type Io,
  type OutputOptions,
  print,
  startProgress,
  toIndentedJson,
  warn,
} from "../../terminal/index.ts";
import { requireDatabaseUrl } from "../inputs/stores.ts";
import { type Target, toSummaryFields, withTables } from "./target.ts";

const maxProblems = 20; // that are printed

/** Checks a store, and prints its summary. Rejects with the problems found. */
export async function checkStore(io: Io, target: Target, { json }: OutputOptions): Promise<void> {
  requireDatabaseUrl("The database", target.url);
  const problems: string[] = [];
  let omitted = 0;
  const report = (problem: string) => (problems.length < maxProblems ? problems.push(problem) : omitted++);
  const bar = startProgress(io.stderr);
  const progress = (done: number, total: number) => bar.show("checking", done, total);
  const summary = await withTables(target, "readonly", (store) =>
    checkIntegrity(store, target.document, report, progress),
  ).finally(bar.clear);
  if (omitted > 0) problems.push(`and ${omitted} more`);
  const sound = problems.length === 0;
  const fields = summary && toSummaryFields(summary); // undefined if the store can't be read to its end
  const notes = summary ? describeUnserved(target.document, summary.counts) : [];
  if (json) await print(io, toIndentedJson({ sound, problems, notes, ...fields }));
  else if (fields && sound) await print(io, `${formatFields(fields)}\nno problems found`);
  if (!json) for (const note of notes) warn(io, `${target.program}: ${note}`);
  if (!sound) throw new CommandFailure(json ? [] : problems);
}
