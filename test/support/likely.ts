// A server of a document whose operations are answered as `openapi-server serve` answers them, with each store.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/openapi/index.ts";
import { openStore } from "../../src/resources/index.ts";
import { emptyDatabase } from "./databases.ts";

/** Sends a request: an object as JSON, or a text of a media type. Returns the response with its parsed body. */
export type Send = (
  method: string,
  url: string,
  body?: object | string,
  type?: string,
  headers?: Readonly<Record<string, string>>,
) => // biome-ignore lint/suspicious/noExplicitAny: bodies of any document
Promise<{ status: number; headers: Record<string, unknown>; body: any }>;

/** Runs a test with SQLite and with PostgreSQL. */
export function testLikely(name: string, document: string, run: (t: Test, send: Send) => Promise<void>): void {
  for (const [store, newUrl] of [
    ["SQLite", async () => "sqlite::memory:"],
    ["PostgreSQL", emptyDatabase],
  ] as const)
    t.test(`${store}: ${name}`, async (t) => {
      const resources = openStore(await newUrl(t), { certainty: "likely", partial: true });
      const logger = pino({ level: "silent" });
      const app = await createServer({ document: parse(document), resources, logger, mock: true });
      t.teardown(() => app.close());
      await run(t, async (method, url, body, type = "application/json", headers = {}) => {
        const payload = typeof body === "object" ? JSON.stringify(body) : body;
        const options = payload === undefined ? {} : { headers: { "content-type": type, ...headers }, payload };
        const response = await app.inject({ method: method as "GET", url, ...options });
        const parsed = response.payload === "" ? undefined : JSON.parse(response.payload);
        return { status: response.statusCode, headers: response.headers, body: parsed };
      });
    });
}
