// backup: writes a store to a file.
import { type BackupSummary, backup } from "../../data/index.ts";
import { describeUnserved } from "../../resources/index.ts";
import { cancelOnSignal, type Io, type OutputOptions, printFields, startProgress, warn } from "../../terminal/index.ts";
import { type Target, toSummaryFields, withTables } from "./target.ts";

/** Backs up a store to a new file, and prints its summary. */
export async function backUpStore(io: Io, target: Target, file: string, options: OutputOptions): Promise<void> {
  await withTables(target, "readonly", async (store) => {
    const bar = startProgress(io.stderr);
    const progress = cancelOnSignal(io, bar.show, "Stopped. No file was written.");
    const summary = await backup(store, file, target.document, progress).finally(bar.clear);
    await printBackup(io, target, summary, options);
  });
}

/** Prints the summary of a backup or restore. Warns of rows that are invalid, and of records that are not served. */
export async function printBackup(
  io: Io,
  { program, document }: Target,
  { counts, checksum, invalid }: BackupSummary,
  options: OutputOptions,
): Promise<void> {
  const invalidRows = options.json && { invalidRows: invalid.count };
  await printFields(io, { ...toSummaryFields({ counts, checksum }), ...invalidRows }, options);
  const rows =
    invalid.count === 1
      ? "1 row is invalid, and was kept as it is"
      : `${invalid.count} rows are invalid, and were kept as they are`;
  const warnings = invalid.count > 0 ? [`${rows}:`, ...invalid.problems] : [];
  if (invalid.count > invalid.problems.length) warnings.push("check lists more of them.");
  for (const warning of [...warnings, ...describeUnserved(document, counts)]) warn(io, `${program}: ${warning}`);
}
