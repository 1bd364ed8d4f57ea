// backup: writes a store to a file.
import { backup } from "../../data/index.ts";
import { cancelOnSignal, type Io, type OutputOptions, printFields, startProgress } from "../../terminal/index.ts";
import { type Target, toSummaryFields, withTables } from "./target.ts";

/** Backs up a store to a new file, and prints its summary. */
export async function backUpStore(io: Io, target: Target, file: string, options: OutputOptions): Promise<void> {
  await withTables(target, "readonly", async (store) => {
    const bar = startProgress(io.stderr);
    const progress = cancelOnSignal(io, bar.show, "Stopped. No file was written.");
    const summary = await backup(store, file, target.document, progress).finally(bar.clear);
    await printFields(io, toSummaryFields(summary), options);
  });
}
