// petstore backup: writes a store to a file.
import { backup } from "../../data/index.ts";
import { readDocument } from "../../pets/index.ts";
import type { Io } from "../io.ts";
import { type OutputOptions, printFields, toSummaryFields } from "../output.ts";
import { cancelOnSignal, startProgress } from "../progress.ts";
import { withTables } from "../resources.ts";
import { readDatabaseUrl } from "../stores.ts";

/** Backs up the store of DATABASE_URL to a new file, and prints its summary. */
export async function backUpStore(io: Io, file: string, options: OutputOptions): Promise<void> {
  const document = await readDocument();
  await withTables(readDatabaseUrl(io), "readonly", document, async (store) => {
    const bar = startProgress(io.stderr);
    const progress = cancelOnSignal(io, bar.show, "Stopped. No file was written.");
    const summary = await backup(store, file, document, progress).finally(bar.clear);
    await printFields(io, toSummaryFields(summary), options);
  });
}
