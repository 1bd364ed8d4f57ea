// restore: restores a store from a backup.
import { type BackupProgress, type Replacement, restore, type StoreState } from "../../data/index.ts";
import {
  type ConfirmOptions,
  cancelOnSignal,
  confirm,
  type Io,
  type OutputOptions,
  startProgress,
  warn,
} from "../../terminal/index.ts";
import { printBackup } from "./backup.ts";
import type { Target } from "./target.ts";

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
