// Snapshots of the metrics of a process, which the processes of a service exchange.
import type { KeyActivity, KeyUsage } from "../auth/index.ts";
import type { Metric, MetricsRegistry } from "../lib/index.ts";
import { collectProcessMetrics } from "./process-metrics.ts";

/** The metrics of a process, and its use of keys since the previous snapshot. */
export interface MetricsSnapshot extends KeyActivity {
  /** Counters start at 0 when the process starts. */
  readonly metrics: readonly Metric[];
}

/** Takes a snapshot. Drains the use of keys. */
export async function takeSnapshot(
  registry: MetricsRegistry,
  usage: Pick<KeyUsage, "drain">,
): Promise<MetricsSnapshot> {
  const processMetrics = await collectProcessMetrics();
  // Nothing below may await: of two concurrent snapshots, the one that completes last must have the newest values.
  return { ...usage.drain(), metrics: [...registry.collect(), ...processMetrics] };
}
