// Publishes the metrics of this process, every second and on demand.
import type { MetricsHub } from "./aggregation.ts";
import type { MetricsSnapshot } from "./snapshot.ts";
import { waitForMetrics } from "./worker-ipc.ts";

const publishInterval = 1_000; // milliseconds: a process that is killed loses at most this much

/** Publishes snapshots to a hub. At most one snapshot is in progress, and at most one waits for it. */
export class MetricsPublisher {
  readonly #takeSnapshot: () => Promise<MetricsSnapshot>;
  readonly #hub: MetricsHub;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** Starts to publish every second. Calls `onError` for each failure that no caller of `publish` receives. */
  constructor(takeSnapshot: () => Promise<MetricsSnapshot>, hub: MetricsHub, onError: (error: unknown) => void) {
    this.#takeSnapshot = takeSnapshot;
    this.#hub = hub;
    this.#onError = onError;
    this.#timer = setInterval(() => this.#enqueue().catch(onError), publishInterval).unref();
  }

  /** Publishes a snapshot that includes all earlier requests. Rejects with `UnavailableError` after one second. */
  publish(): Promise<void> {
    return waitForMetrics(this.#enqueue());
  }

  /** Publishes a last snapshot and closes the hub. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.publish().catch(this.#onError);
    this.#hub.close();
  }

  // Coalesces all calls that arrive while a snapshot is in progress, so that snapshots do not pile up if the hub is
  // slow.
  #enqueue(): Promise<void> {
    this.#next ??= this.#current
      .catch(() => {}) // reported to the callers of that snapshot
      .then(() => {
        this.#next = undefined;
        this.#current = this.#takeSnapshot().then((snapshot) => this.#hub.publish(snapshot));
        return this.#current;
      });
    return this.#next;
  }
}
