// backup, restore and copy: write a store to a file, and read it from a backup or from another store.
import {
  type BackupProgress,
  type BackupSummary,
  backup,
  copy,
  type Replacement,
  restore,
  type StoreState,
} from "../../data/index.ts";
import { describeUnserved } from "../../resources/index.ts";
import { type Collection, collectionsIn, type Tables, withoutConstraints } from "../../store/index.ts";
import {
  type ConfirmOptions,
  cancelOnSignal,
  confirm,
  type Io,
  type OutputOptions,
  printFields,
  startProgress,
  warn,
} from "../../terminal/index.ts";
import { requireDatabaseUrl } from "../inputs/stores.ts";
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

// Warns of rows that are invalid, and of records that are not served.
async function printBackup(
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

export interface RestoreOptions extends OutputOptions, ConfirmOptions {
  force?: boolean;
  withoutKeys?: boolean;
}

/** Restores a store from a backup. Prints its summary, and a warning for each key that it adds. */
export async function restoreStore(io: Io, target: Target, file: string, options: RestoreOptions): Promise<void> {
  const { program, url, service, document } = target;
  const bar = startProgress(io.stderr);
  // A query of a crafted file can block the event loop, and then no handler runs. Signals therefore end the process until
  // the backup has been checked and the question is answered. Nothing has changed by then.
  let progress: BackupProgress | undefined;
  const showProgress: BackupProgress = (label, ...counts) => {
    if (label !== "checking") progress ??= cancelOnSignal(io, bar.show, "Stopped. Nothing was changed.");
    (progress ?? bar.show)(label, ...counts);
  };
  const { force, withoutKeys } = options;
  const ask = async (replacement: Replacement) => {
    bar.clear();
    for (const line of describeReplacement(replacement, withoutKeys)) warn(io, `${program}: ${line}`);
    await confirm(io, "Replace the data?", options);
  };
  const restoreOptions = { service, document, progress: showProgress, force, withoutKeys, confirm: ask };
  const summary = await restore(file, url, restoreOptions).finally(bar.clear);
  for (const name of summary.restoredKeys)
    warn(
      io,
      `${program}: Restored the key ${name}, which the database did not have. If it was revoked, revoke it again.`,
    );
  await printBackup(io, target, summary, options);
}

const maxNames = 20;

function describeReplacement({ store, backup, lostKeys }: Replacement, withoutKeys = false): string[] {
  const describe = ({ collections, keys }: StoreState) => {
    const counts = Object.entries(collections).map(
      ([name, { records, lastId }]) => `${name} (${records}, last id ${lastId})`,
    );
    return [...counts, ...(withoutKeys ? [] : [`keys (${keys})`])].join(" and ");
  };
  const names = lostKeys.slice(0, maxNames).join(", ");
  const more = lostKeys.length > maxNames ? ` and ${lostKeys.length - maxNames} more` : "";
  return [
    `The database has ${describe(store)}.`,
    `The backup has ${describe(backup)}, which replace them.`,
    ...(lostKeys.length > 0 ? [`These keys will not be valid any more: ${names}${more}.`] : []),
  ];
}

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
  const summary = await withTables({ ...target, url: options.from }, "migrate", async (from) => {
    const collections = collectionsIn(from.tables);
    const fill = <T>(work: (to: Tables) => Promise<T>, used: readonly Collection[]) =>
      withTables({ ...target, url: options.to }, "create", work, used);
    const copied = await fill((to) => copyTables(from, to), withoutConstraints(collections));
    await fill(async () => {}, collections);
    return copied;
  });
  await printFields(io, toSummaryFields(summary), options);
  for (const note of describeUnserved(target.document, summary.counts)) warn(io, `${target.program}: ${note}`);
}
