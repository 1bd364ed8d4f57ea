// Liveness and readiness for orchestrators.
import fp from "fastify-plugin";
import { shareResult } from "../lib/index.ts";
import type { Store } from "../store/index.ts";

const checkMaxAge = 1_000; // milliseconds

/**
 * Returns a check of the store that queries it at most once per second, so that calls of /readyz, which need no key,
 * can't keep the store busy. Share it between the plugins.
 */
export function createStoreCheck({ check }: Pick<Store, "check">): () => Promise<void> {
  return shareResult(check, checkMaxAge);
}

/** Serves /healthz (200 while the process runs) and /readyz (503 if the store is unavailable). */
export const health = fp<{ readonly checkStore: () => Promise<void> }>(
  async (app, { checkStore }) => {
    app.get("/healthz", async () => ({ status: "ok" }));
    app.get("/readyz", async () => {
      await checkStore();
      return { status: "ok" };
    });
  },
  { name: "health", dependencies: ["error-handler"] },
);
