// Liveness and readiness for orchestrators.
import fp from "fastify-plugin";
import { shareResult } from "../lib/index.ts";
import type { Store } from "../store/index.ts";

const checkMaxAge = 1_000; // milliseconds

/** The paths that orchestrators and Prometheus call, by any name of the server. */
export const operatorPaths: readonly string[] = ["/healthz", "/readyz", "/metrics", "/status.json"];

export interface HealthOptions {
  readonly store?: Pick<Store, "check"> | undefined;
  /** Returns whether no operation has a path. */
  readonly isFree: (path: string) => boolean;
}

/**
 * Serves /healthz (200 while the process runs) and /readyz (503 if the store is unavailable). The store is queried at most
 * once per second, so that calls of /readyz, which need no key, can't keep it busy. Without a store, the service is ready
 * while its process runs.
 */
export const health = fp<HealthOptions>(
  async (app, { store, isFree }) => {
    const checkStore = shareResult(async () => store?.check(), checkMaxAge);
    if (isFree("/healthz")) app.get("/healthz", async () => ({ status: "ok" }));
    if (!isFree("/readyz")) return;
    app.get("/readyz", async () => {
      await checkStore();
      return { status: "ok" };
    });
  },
  { name: "health", dependencies: ["error-handler"] },
);
