// For those who run the service: does the process live, and can it serve.
import type { FastifyInstance } from "fastify";
import type { Store } from "./store/store.ts";

/** Adds /healthz, /readyz (503 where the store can't be reached), and the way from / to /docs. */
export function addHealth(app: FastifyInstance, store: Store): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await store.check();
    return { status: "ok" };
  });
  app.get("/", async (_, reply) => reply.redirect("/docs"));
}
