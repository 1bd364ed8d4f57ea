// Limits the log lines of requests that need no API key. Without a limit, any client could write lines at the rate of
// its requests, which fills the disk and takes CPU time.
//
// Not pino-throttle or sampling: the first lines of each second are complete, and the others are counted by status.
import type { Logger } from "pino";

const maxLines = 100; // per interval
const interval = 1_000; // milliseconds

/** Limits the lines of a log to 100 per second, and reports the number of the other ones once a second. */
export class LogLimiter {
  readonly #log: Logger;
  readonly #onDrop: () => void;
  // Rejected requests must not hide the lines about bugs, which have status 500.
  #lines = { rejected: 0, failed: 0 };
  #dropped = new Map<number, number>(); // lines by status
  #timer: NodeJS.Timeout | undefined;

  /** Calls `onDrop` for each line that is not logged. */
  constructor(log: Logger, onDrop: () => void) {
    this.#log = log;
    this.#onDrop = onDrop;
  }

  /** Returns whether a line about a response with this status may be logged, and counts it. */
  readonly take = (status: number): boolean => {
    this.#timer ??= setTimeout(this.flush, interval).unref();
    const kind = status === 500 ? "failed" : "rejected";
    this.#lines[kind] += 1;
    if (this.#lines[kind] <= maxLines) return true;
    this.#dropped.set(status, (this.#dropped.get(status) ?? 0) + 1);
    this.#onDrop();
    return false;
  };

  /** Ends the current second: logs the number of lines that were dropped, by status. */
  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines = { rejected: 0, failed: 0 };
    if (this.#dropped.size === 0) return;
    this.#log.warn({ droppedByStatus: Object.fromEntries(this.#dropped) }, "log lines dropped: too many requests");
    this.#dropped = new Map();
  };

  /** Returns a view of the log that limits `info`. The first argument of `info` must have the property `status`. */
  limitInfo(): Logger {
    const info = (line: { status: number }, message: string) => {
      if (this.#log.isLevelEnabled("info") && this.take(line.status)) this.#log.info(line, message);
    };
    return Object.create(this.#log, { info: { value: info } });
  }
}
