// Notices changes of files. It polls, because editors replace files by renaming, and file systems of containers and networks send
// no events. chokidar was considered: for them, it also polls, and its list of files must be known before.
import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const interval = 100; // milliseconds between two looks at the files
const settleTime = 30; // milliseconds in which no file changes before they are read

/** Calls a function after each change of a file, until `signal` is aborted. */
export type WatchChanges = (onChange: () => Promise<void>, signal: AbortSignal) => Promise<void>;

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
