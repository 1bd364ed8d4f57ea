// petstore check: checks the integrity of a store.
import { readConfig } from "../../config.ts";
import { checkIntegrity } from "../../data/index.ts";
import { readDocument } from "../../pets/index.ts";
import { CommandFailure, type Io, print } from "../io.ts";
import { formatFields, type OutputOptions, toIndentedJson, toSummaryFields } from "../output.ts";
import { startProgress } from "../progress.ts";
import { withTables } from "../resources.ts";
import { requireDatabaseUrl } from "../stores.ts";

const maxProblems = 20; // that are printed

/** Checks the store at `url`, DATABASE_URL by default, and prints its summary. Rejects with the problems found. */
export async function checkStore(io: Io, url: string | undefined, { json }: OutputOptions): Promise<void> {
  const databaseUrl = url ?? readConfig(io.env).DATABASE_URL;
  requireDatabaseUrl("The database", databaseUrl);
  const problems: string[] = [];
  let omitted = 0;
  const report = (problem: string) => (problems.length < maxProblems ? problems.push(problem) : omitted++);
  const document = await readDocument();
  const bar = startProgress(io.stderr);
  const progress = (done: number, total: number) => bar.show("checking", done, total);
  const summary = await withTables(databaseUrl, "readonly", document, (store) =>
    checkIntegrity(store, document, report, progress),
  ).finally(bar.clear);
  if (omitted > 0) problems.push(`and ${omitted} more`);
  const sound = problems.length === 0;
  const fields = summary && toSummaryFields(summary); // undefined if the store can't be read to its end
  if (json) await print(io, toIndentedJson({ sound, problems, ...fields }));
  else if (fields && sound) await print(io, `${formatFields(fields)}\nno problems found`);
  if (!sound) throw new CommandFailure(json ? [] : problems);
}
