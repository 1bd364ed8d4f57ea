// Limits the log lines of requests without a valid API key or without an operation, of requests that are rejected with
// 429 or 503, and of failures. Without a limit, any client could write lines at the rate of its requests, which fills
// the disk and takes CPU time.
//
// Not pino-throttle or sampling: the first lines of each second are complete, and the others are counted by status.
import type { Logger } from "pino";
import type { MetricsRegistry } from "../../lib/index.ts";

const maxLines = 100; // per interval
const interval = 1_000; // milliseconds

/** Limits the lines of a log to 100 per second and kind, and reports the number of the other ones once a second. */
export class LogLimiter {
  readonly #log: Logger;
  #droppedTotal = 0;
  #lines = new Map<number | "rejected", number>();
  #dropped = new Map<number, number>(); // lines by status
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger, registry: MetricsRegistry) {
    this.#log = log;
    registry.counter(
      "log_lines_dropped_total",
      "Log lines dropped at more than 100 per second: of malformed requests, of requests without a valid API key, without an operation, or rejected with 429 or 503, and of failures.",
      () => this.#droppedTotal,
    );
  }

  /** Returns whether a line about a response with this status may be logged, and counts it. */
  readonly take = (status: number): boolean => this.#take(status, status === 500 ? status : "rejected");

  /**
   * Returns whether a line about the cause of a failure may be logged, and counts it. Each status has a limit of its
   * own: rejected requests must not hide failures, and an unavailable dependency (503) must not hide bugs (500).
   */
  readonly takeFailure = (status: number): boolean => this.#take(status, status);

  #take(status: number, kind: number | "rejected"): boolean {
    this.#timer ??= setTimeout(this.flush, interval).unref();
    const lines = (this.#lines.get(kind) ?? 0) + 1;
    this.#lines.set(kind, lines);
    if (lines <= maxLines) return true;
    this.#dropped.set(status, (this.#dropped.get(status) ?? 0) + 1);
    this.#droppedTotal += 1;
    return false;
  }

  /** Ends the current second: logs the number of lines that were dropped, by status. */
  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines.clear();
    if (this.#dropped.size === 0) return;
    this.#log.warn({ droppedByStatus: Object.fromEntries(this.#dropped) }, "log lines dropped: too many requests");
    this.#dropped = new Map();
  };
}
