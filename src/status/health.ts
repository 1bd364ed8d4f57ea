// Liveness and readiness for orchestrators.
import fp from "fastify-plugin";
import type { Store } from "../store/index.ts";

/** Serves /healthz (200 while the process runs) and /readyz (503 if the store is unavailable). */
export const health = fp<{ readonly store: Store }>(
  async (app, { store }) => {
    app.get("/healthz", async () => ({ status: "ok" }));
    app.get("/readyz", async () => {
      await store.check();
      return { status: "ok" };
    });
  },
  { name: "health", dependencies: ["error-handler"] },
);
