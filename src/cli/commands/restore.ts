// petstore restore: restores a store from a backup.
import { restore } from "../../data/index.ts";
import { readDocument } from "../../pets/index.ts";
import type { Io } from "../io.ts";
import { type OutputOptions, printFields, toSummaryFields } from "../output.ts";
import { cancelOnSignal, startProgress } from "../progress.ts";
import { readDatabaseUrl } from "../stores.ts";

/** The options of `petstore restore`. */
export interface RestoreOptions extends OutputOptions {
  force?: boolean;
}

/** Restores the store of DATABASE_URL from a backup, and prints its summary. */
export async function restoreStore(io: Io, file: string, options: RestoreOptions): Promise<void> {
  const url = readDatabaseUrl(io);
  const document = await readDocument();
  const bar = startProgress(io.stderr);
  const progress = cancelOnSignal(io, bar.show, "Stopped. Nothing was changed.");
  const summary = await restore(file, url, document, options.force ?? false, progress).finally(bar.clear);
  await printFields(io, toSummaryFields(summary), options);
}
