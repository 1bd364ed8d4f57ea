// A server of a document whose operations are answered as `openapi-server serve` answers them, with each store.
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore, type ResourceStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "./databases.ts";

/** Sends requests to a server, see `createSend`. */
export type Send = ReturnType<typeof createSend>;

/** Returns a function that sends a request: an object as JSON, or a text of a media type. It returns the response with its parsed body. */
function createSend(app: FastifyInstance) {
  return async (
    method: string,
    url: string,
    body?: object | string,
    type = "application/json",
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const payload = typeof body === "object" ? JSON.stringify(body) : body;
    const options = payload === undefined ? { headers } : { headers: { "content-type": type, ...headers }, payload };
    const response = await app.inject({ method: method as "GET", url, ...options });
    const parsed = response.payload === "" ? undefined : JSON.parse(response.payload);
    return { status: response.statusCode, headers: response.headers, body: parsed };
  };
}

/** Runs a test with SQLite and with PostgreSQL. */
export function testLikely(
  name: string,
  document: string,
  run: (t: Test, send: Send, store: ResourceStore) => Promise<void>,
): void {
  for (const [store, newUrl] of [
    ["SQLite", async () => "sqlite::memory:"],
    ["PostgreSQL", emptyDatabase],
  ] as const)
    t.test(`${store}: ${name}`, async (t) => {
      const resources = openStore(await newUrl(t), { partial: true });
      const logger = pino({ level: "silent" });
      const app = await createServer({ document: parse(document), resources, logger, mock: true });
      t.teardown(() => app.close());
      await run(t, createSend(app), resources);
    });
}
