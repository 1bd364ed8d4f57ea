// Snapshots of the metrics of a process, which the processes of a service exchange.
import type { KeyUsage } from "../auth/index.ts";
import type { Metric, MetricsRegistry } from "../lib/index.ts";
import { collectProcessMetrics } from "./process-metrics.ts";

/** The metrics of a process, and its calls since the previous snapshot. */
export interface MetricsSnapshot {
  /** Counters start at 0 when the process starts. */
  readonly metrics: readonly Metric[];
  readonly calls: readonly (readonly [key: string, count: number])[];
  /** Calls of deprecated operations. The name of the key is empty for calls without one. */
  readonly deprecated: readonly (readonly [operation: string, key: string, count: number])[];
}

/** Takes a snapshot. Drains the calls from `usage`. */
export async function takeSnapshot(
  registry: MetricsRegistry,
  usage: Pick<KeyUsage, "drainCalls">,
): Promise<MetricsSnapshot> {
  const processMetrics = await collectProcessMetrics();
  // Nothing below may await: of two concurrent snapshots, the one that completes last must have the newest values.
  const { keys, deprecated } = usage.drainCalls();
  return {
    metrics: [...registry.collect(), ...processMetrics],
    calls: [...keys].filter(([, count]) => count > 0),
    deprecated: [...deprecated].flatMap(([operation, keys]) =>
      [...keys].map(([key, count]) => [operation, key, count] as const),
    ),
  };
}
