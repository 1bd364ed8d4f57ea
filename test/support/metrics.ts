// Reads the metrics of an app or a store, without a service.
import { MetricsRegistry, sumSamples } from "../../src/lib/metrics.ts";
import type { StoreMetrics } from "../../src/store/port.ts";

/** Returns the sum of the samples of a metric that have all of these labels. */
export function readMetric(
  { metrics }: { readonly metrics: MetricsRegistry | StoreMetrics },
  name: string,
  labels?: Readonly<Record<string, string>>,
): number {
  if (metrics instanceof MetricsRegistry) return sumSamples(metrics.collect(), name, labels);
  const registry = new MetricsRegistry();
  metrics.register(registry);
  return sumSamples(registry.collect(), name, labels);
}
