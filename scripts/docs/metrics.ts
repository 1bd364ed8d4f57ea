// Scrapes the metrics of a service, and parses Prometheus' text format.
import type { MetricsRegistry } from "../../src/lib/index.ts";
import { createLogger, generateKey } from "../../src/operate/index.ts";
import type { Store } from "../../src/store/index.ts";
import { QueryMetrics } from "../../src/store/query/query-metrics.ts";
import { createPetServer } from "../../test/support/pet-server.ts";
import { openPetStore } from "../../test/support/pets.ts";
import { readConfig } from "../../test/support/settings.ts";

/** A metric of the service. */
export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/**
 * Starts the service over an empty store, calls each of its operations, and describes its metrics, without those of the
 * process, which depend on the platform.
 */
export async function scrapeMetrics(): Promise<MetricDescription[]> {
  const store = await openPetStore("sqlite::memory:");
  const { key, hash } = generateKey();
  await store.keys.create("docs", hash, { operator: true });
  const logger = await createLogger("silent");
  const app = await createPetServer(withPool(store), readConfig({}), { logger });
  const headers = { authorization: `Bearer ${key}` };
  await app.inject({ method: "POST", url: "/v1/pets", headers, payload: { name: "Rex", categoryId: 7 } });
  for (const url of ["/v1/pets", "/v1/pets/1"]) await app.inject({ url, headers });
  const { body } = await app.inject({ url: "/metrics", headers });
  await app.close();
  await store.close();
  return parseMetrics(body).filter(({ name }) => name.startsWith("petstore_"));
}

// Adds the metrics of a connection pool, which only PostgreSQL has.
function withPool(store: Store): Store {
  const pool = new QueryMetrics(() => ({ used: 0, idle: 0, max: 0, waiting: 0 }));
  const register = (registry: MetricsRegistry) => {
    store.metrics.register(registry);
    pool.register(registry);
  };
  return { ...store, metrics: { register } };
}

function parseMetrics(text: string): MetricDescription[] {
  return [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)\n((?:\w.*\n)*)/gm)].map((match) => {
    const [, name, help, type, samples] = match as unknown as [string, string, string, string, string];
    const labels = [...samples.matchAll(/[{,](\w+)="/g)].map(([, label]) => label as string);
    return { name, type, help, labels: [...new Set(labels)].filter((label) => label !== "le") };
  });
}
