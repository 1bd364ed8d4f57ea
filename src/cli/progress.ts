// How far a long work is, on standard error: a bar on a terminal, a line now and then otherwise.

import type { Output } from "./io.ts";

const often = 100; // milliseconds, on a terminal
const seldom = 5_000; // where the lines stay
const first = 300; // before that, a rate says nothing
const widest = 24; // characters

/** Shows how far a work is. */
export interface ProgressBar {
  /** Tells that `done` of `total` rows, or what it is that is counted, are done of what it is `doing` now. Without `total` nobody knows of how many. */
  show(doing: string, done: number, total?: number, unit?: string): void;
  /** Takes the bar away. */
  clear(): void;
}

/** A bar that counts rows, with their rate and the time that is left. `clock` returns milliseconds. */
export function startProgress(stderr: Output, clock = () => performance.now()): ProgressBar {
  let began = { doing: "", at: 0 };
  let shown = 0;
  return {
    show(doing, done, total = Number.POSITIVE_INFINITY, unit = "rows") {
      const now = clock();
      if (doing !== began.doing) began = { doing, at: now };
      if (done < total && (now - began.at < first || now - shown < (stderr.isTTY ? often : seldom))) return;
      shown = now;
      const rate = done / Math.max(0.001, (now - began.at) / 1000);
      const known = Number.isFinite(total);
      const far = known ? `${format(done)} of ${format(total)}` : format(done);
      const count = `${far} ${unit}, ${format(rate)}/s${known ? `, ${format((total - done) / rate)} s left` : ""}`;
      if (!stderr.isTTY) stderr.write(`${doing}: ${count}\n`);
      else {
        // A line that wraps can't be taken back. A terminal that does not know its width says 0.
        const width = Math.max(0, Math.min(widest, (stderr.columns || 80) - count.length - 12));
        const filled = Math.round((width * done) / Math.max(1, total));
        stderr.write(`\r\x1b[K${doing.padEnd(9)} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${count}`);
      }
    },
    clear() {
      if (stderr.isTTY) stderr.write("\r\x1b[K");
    },
  };
}

function format(value: number): string {
  return Math.ceil(value || 0).toLocaleString("en-US");
}
