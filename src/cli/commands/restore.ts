// petstore restore: restores a store from a backup.
import { type BackupProgress, restore } from "../../data/index.ts";
import { readDocument } from "../../pets/index.ts";
import { type Io, warn } from "../io.ts";
import { type OutputOptions, printFields, toSummaryFields } from "../output.ts";
import { cancelOnSignal, startProgress } from "../progress.ts";
import { readDatabaseUrl } from "../stores.ts";

/** The options of `petstore restore`. */
export interface RestoreOptions extends OutputOptions {
  force?: boolean;
  withoutKeys?: boolean;
}

/** Restores the store of DATABASE_URL from a backup. Prints its summary, and a warning for each key that it adds. */
export async function restoreStore(io: Io, file: string, options: RestoreOptions): Promise<void> {
  const url = readDatabaseUrl(io);
  const document = await readDocument();
  const bar = startProgress(io.stderr);
  // A query of a crafted file can block the event loop, and then no handler runs. Signals therefore end the process until
  // the first rows are read. Nothing has changed by then.
  let progress: BackupProgress | undefined;
  const showProgress: BackupProgress = (...args) => {
    progress ??= cancelOnSignal(io, bar.show, "Stopped. Nothing was changed.");
    progress(...args);
  };
  const { force, withoutKeys } = options;
  const restoreOptions = { document, progress: showProgress, force, withoutKeys };
  const summary = await restore(file, url, restoreOptions).finally(bar.clear);
  for (const name of summary.restoredKeys)
    warn(
      io,
      `petstore: Restored the key ${name}, which the database did not have. If it was revoked, revoke it again.`,
    );
  await printFields(io, toSummaryFields(summary), options);
}
