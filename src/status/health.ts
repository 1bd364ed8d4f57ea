// Liveness and readiness for orchestrators.
import fp from "fastify-plugin";
import { shareResult } from "../lib/index.ts";
import type { Store } from "../store/index.ts";

const checkMaxAge = 1_000; // milliseconds

/**
 * Serves /healthz (200 while the process runs) and /readyz (503 if the store is unavailable). The store is queried at most
 * once per second, so that calls of /readyz, which need no key, can't keep it busy.
 */
export const health = fp<{ readonly store: Pick<Store, "check"> }>(
  async (app, { store }) => {
    const checkStore = shareResult(store.check, checkMaxAge);
    app.get("/healthz", async () => ({ status: "ok" }));
    app.get("/readyz", async () => {
      await checkStore();
      return { status: "ok" };
    });
  },
  { name: "health", dependencies: ["error-handler"] },
);
