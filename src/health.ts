// For those who run the service: does the process live, and can it serve.
import type { FastifyInstance } from "fastify";
import type { Store } from "./store/store.ts";

/** The paths that are answered also when there is too much to do: by them others decide what to do about it. */
export const healthPaths = ["/healthz", "/readyz"];

/** Adds /healthz and /readyz (503 where the store can't be reached). */
export function addHealth(app: FastifyInstance, store: Store): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await store.check();
    return { status: "ok" };
  });
}
