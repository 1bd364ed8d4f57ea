// copy: copies a store to another one.
import { copy } from "../../data/index.ts";
import { describeUnserved } from "../../resources/index.ts";
import { collectionsIn, type Tables } from "../../store/index.ts";
import { cancelOnSignal, type Io, type OutputOptions, printFields, startProgress, warn } from "../../terminal/index.ts";
import { requireDatabaseUrl } from "./database-url.ts";
import { type Target, toSummaryFields, withTables } from "./target.ts";

export interface CopyOptions extends OutputOptions {
  from: string;
  to: string;
}

/** Copies the store at `from` to the empty store at `to`, and prints its summary. */
export async function copyStore(io: Io, target: Target, options: CopyOptions): Promise<void> {
  requireDatabaseUrl("--from", options.from);
  requireDatabaseUrl("--to", options.to);
  const bar = startProgress(io.stderr);
  const copyTables = (from: Tables, to: Tables) =>
    copy(from, to, cancelOnSignal(io, bar.show, "Stopped. Nothing was copied.")).finally(bar.clear);
  const summary = await withTables({ ...target, url: options.from }, "migrate", (from) =>
    withTables({ ...target, url: options.to }, "create", (to) => copyTables(from, to), collectionsIn(from.tables)),
  );
  await printFields(io, toSummaryFields(summary), options);
  for (const note of describeUnserved(target.document, summary.counts)) warn(io, `${target.program}: ${note}`);
}
