// `--watch`: notices changes of files. Servers then serve their new state, or else the last valid one.
//
// It polls, because editors replace files by renaming, and file systems of containers and networks send no events. chokidar
// was considered: for them, it also polls, and its list of files must be known before.
import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Document } from "../../openapi/index.ts";
import { describeFindings } from "../../openapi/tools.ts";
import type { Io } from "../../terminal/index.ts";
import type { Config } from "./config.ts";

const interval = 100; // milliseconds between two looks at the files
const settleTime = 30; // milliseconds in which no file changes before they are read

/** Calls a function after each change of a file, until `signal` is aborted. */
type WatchChanges = (onChange: () => Promise<void>, signal: AbortSignal) => Promise<void>;

/**
 * Remembers the state of files before they are read. The function that it returns then calls `onChange` whenever one of them is
 * changed, removed or created. `list` returns their paths, also of those that do not exist: it is called again after each change,
 * until its result and the files stay the same. Writing several files is one change. `onChange` must not reject.
 */
export async function watchFiles(list: () => Promise<readonly string[]>): Promise<WatchChanges> {
  let { files, state } = await settle(list);
  return async (onChange, signal) => {
    while (!signal.aborted) {
      await sleep(interval, undefined, { signal }).catch(() => {}); // aborted
      if (signal.aborted || stateOf(files) === state) continue;
      ({ files, state } = await settle(list));
      await onChange();
    }
  };
}

async function settle(list: () => Promise<readonly string[]>) {
  let files = await list();
  for (let state = stateOf(files); ; ) {
    await sleep(settleTime);
    files = await list();
    const now = stateOf(files);
    if (now === state) return { files, state };
    state = now;
  }
}

function stateOf(files: readonly string[]): string {
  const states = files.map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return [path, stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`];
  });
  return JSON.stringify(states);
}

/** Returns the errors of a document for which `createServer` would refuse it without a mock. */
export function listErrors({ findings }: Document, config: Config): string[] {
  return describeFindings(findings.list(config).filter(({ level }) => level === "error"));
}

/** Describes what `listErrors` has found. */
export function describeErrors(errors: readonly string[]): string {
  return `The document has errors:\n${errors.map((error) => `- ${error}`).join("\n")}`;
}

/** Throws an Error if a document has errors, and the one that is served has none. */
export function refuseNewErrors(errors: readonly string[], served: readonly string[]): void {
  if (errors.length > 0 && served.length === 0) throw new Error(describeErrors(errors));
}

/** Calls `reload` after each change, until `signal` is aborted, and prints what it returns, or why it has rejected. */
export async function reloadOnChange(
  watchChanges: WatchChanges,
  reload: () => Promise<string>,
  { stdout, stderr }: Io,
  signal: AbortSignal,
): Promise<void> {
  await watchChanges(async () => {
    try {
      const message = await reload();
      if (!signal.aborted) stdout.write(message);
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted)
        stderr.write(`openapi-server: ${message}\nThe last valid state of the document is served.\n`);
    }
  }, signal);
}

/** Calls `stop` on the first SIGINT and SIGTERM, and when `signal` is aborted. */
export function onStop(io: Io, signal: AbortSignal | undefined, stop: () => void): void {
  io.onStop(stop);
  signal?.addEventListener("abort", stop);
}
