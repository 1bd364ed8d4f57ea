// For those who run the service: does the process live, and can it serve.
import type { FastifyInstance } from "fastify";
import type { Store } from "../store/index.ts";

/** Adds /healthz and /readyz (503 where the store can't be reached). */
export function addHealth(app: FastifyInstance, store: Store): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await store.check();
    return { status: "ok" };
  });
}
