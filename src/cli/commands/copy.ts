// petstore copy: copies a store to another one.
import { copy } from "../../data/index.ts";
import { readDocument } from "../../pets/index.ts";
import type { Tables } from "../../store/index.ts";
import type { Io } from "../io.ts";
import { type OutputOptions, printFields, toSummaryFields } from "../output.ts";
import { cancelOnSignal, startProgress } from "../progress.ts";
import { withTables } from "../resources.ts";
import { requireDatabaseUrl } from "../stores.ts";

export interface CopyOptions extends OutputOptions {
  from: string;
  to: string;
}

/** Copies the store at `from` to the empty store at `to`, and prints its summary. */
export async function copyStore(io: Io, options: CopyOptions): Promise<void> {
  requireDatabaseUrl("--from", options.from);
  requireDatabaseUrl("--to", options.to);
  const bar = startProgress(io.stderr);
  const copyTables = (from: Tables, to: Tables) =>
    copy(from, to, cancelOnSignal(io, bar.show, "Stopped. Nothing was copied.")).finally(bar.clear);
  const document = await readDocument();
  const summary = await withTables(options.from, "migrate", document, (from) =>
    withTables(options.to, "create", document, (to) => copyTables(from, to)),
  );
  await printFields(io, toSummaryFields(summary), options);
}
