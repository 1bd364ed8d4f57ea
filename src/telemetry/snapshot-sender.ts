// Sends snapshots of the metrics of this process, every second and on demand.
import type { AggregatorClient } from "./aggregation.ts";
import type { MetricsSnapshot } from "./snapshot.ts";
import { waitForMetrics } from "./worker-ipc.ts";

const sendInterval = 1_000; // milliseconds: a process that is killed loses at most this much

/** Sends snapshots to the aggregator. At most one snapshot is in progress, and at most one waits for it. */
export class SnapshotSender {
  readonly #takeSnapshot: () => Promise<MetricsSnapshot>;
  readonly #aggregator: AggregatorClient;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Starts to send one every second. Calls `onError` for each failure that no caller of `send` receives. */
  constructor(
    takeSnapshot: () => Promise<MetricsSnapshot>,
    aggregator: AggregatorClient,
    onError: (error: unknown) => void,
  ) {
    this.#takeSnapshot = takeSnapshot;
    this.#aggregator = aggregator;
    this.#onError = onError;
    this.#timer = setInterval(() => this.#enqueue().catch(onError), sendInterval).unref();
  }

  /** Sends a snapshot that includes all earlier requests. Rejects with `UnavailableError` after one second. */
  send(): Promise<void> {
    return waitForMetrics(this.#enqueue());
  }

  /** Sends a last snapshot. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.send().catch(this.#onError);
  }

  // Coalesces all calls that arrive while a snapshot is in progress, so that snapshots do not pile up if the aggregator is
  // slow.
  #enqueue(): Promise<void> {
    this.#next ??= this.#current
      .catch(() => {}) // reported to the callers of that snapshot
      .then(() => {
        this.#next = undefined;
        this.#current = this.#takeSnapshot().then((snapshot) => this.#aggregator.update(snapshot));
        return this.#current;
      });
    return this.#next;
  }
}
