// Takes snapshots of the metrics of this process, and sends them, every second and on demand.

import type { MetricsRegistry } from "../../lib/index.ts";
import type { KeyUsage } from "../keys/key-usage.ts";
import type { AggregatorClient, MetricsSnapshot } from "./aggregation.ts";
import { collectProcessMetrics } from "./process-metrics.ts";
import { waitForMetrics } from "./worker-ipc.ts";

const sendInterval = 1_000; // milliseconds: a process that is killed loses at most this much

/** Takes a snapshot. Drains the use of keys. */
export async function takeSnapshot(
  registry: MetricsRegistry,
  usage: Pick<KeyUsage, "drain">,
): Promise<MetricsSnapshot> {
  const processMetrics = await collectProcessMetrics();
  // Nothing below may await: of two concurrent snapshots, the one that completes last must have the newest values.
  return { ...usage.drain(), metrics: [...registry.collect(), ...processMetrics] };
}

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
