// Reports the progress of a command on standard error: a bar on a terminal, a line every few seconds otherwise.
import type { Io, Output } from "./io.ts";

const redrawInterval = 100; // milliseconds, on a terminal
const lineInterval = 5_000; // milliseconds, if standard error is no terminal
const minElapsed = 300; // milliseconds after which the rate is meaningful
const maxWidth = 24; // characters of the bar

/** A progress bar on standard error. */
export interface ProgressBar {
  /** Shows that `done` of `total` units of a step are done. `label` names the step; an unknown total is undefined. */
  show(label: string, done: number, total?: number, unit?: string): void;
  /** Removes the bar. */
  clear(): void;
}

/** Creates a progress bar that shows the count, the rate and the remaining time. `clock` returns milliseconds. */
export function startProgress(stderr: Output, clock = () => performance.now()): ProgressBar {
  let step = { label: "", startedAt: 0 };
  let shownAt = 0;
  return {
    show(label, done, total = Number.POSITIVE_INFINITY, unit = "rows") {
      const now = clock();
      if (label !== step.label) step = { label, startedAt: now };
      const elapsed = now - step.startedAt;
      const interval = stderr.isTTY ? redrawInterval : lineInterval;
      if (done < total && (elapsed < minElapsed || now - shownAt < interval)) return;
      shownAt = now;
      const counts = formatCounts(done, total, unit, elapsed);
      stderr.write(
        stderr.isTTY ? formatBar(label, done / Math.max(1, total), counts, stderr) : `${label}: ${counts}\n`,
      );
    },
    clear() {
      if (stderr.isTTY) stderr.write("\r\x1b[K");
    },
  };
}

function formatCounts(done: number, total: number, unit: string, elapsed: number): string {
  const rate = done / Math.max(0.001, elapsed / 1000);
  if (!Number.isFinite(total)) return `${formatNumber(done)} ${unit}, ${formatNumber(rate)}/s`;
  const remaining = `${formatNumber((total - done) / rate)} s left`;
  return `${formatNumber(done)} of ${formatNumber(total)} ${unit}, ${formatNumber(rate)}/s, ${remaining}`;
}

// A line that wraps can't be erased, so the bar shrinks to the width of the terminal, which may be unknown (0).
function formatBar(label: string, fraction: number, counts: string, { columns }: Output): string {
  const width = Math.max(0, Math.min(maxWidth, (columns || 80) - counts.length - 12));
  const filled = Math.round(width * fraction);
  return `\r\x1b[K${label.padEnd(9)} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${counts}`;
}

function formatNumber(value: number): string {
  return Math.ceil(value || 0).toLocaleString("en-US");
}

/**
 * Wraps a progress callback so that it throws an Error with `message` after SIGINT or SIGTERM. Commands report progress
 * between two batches, so no batch is interrupted.
 */
export function cancelOnSignal<A extends unknown[]>(
  io: Io,
  report: (...progress: A) => void,
  message: string,
): (...progress: A) => void {
  let stopped = false;
  io.onStop(() => {
    stopped = true;
  });
  return (...progress) => {
    if (stopped) throw new Error(message);
    report(...progress);
  };
}
