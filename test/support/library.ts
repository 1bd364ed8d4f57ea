// The library of examples/library, whose document many tests edit.
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { parse } from "yaml";
import { createLibrary } from "../../examples/library/library.ts";

/** The text of library.yaml. */
export const libraryText = readFileSync(new URL("../../examples/library/library.yaml", import.meta.url), "utf8");

/** Starts the library on a free port of loopback, with this text of its document. Returns the URL of the API. */
export async function startLibrary(text = libraryText): Promise<{ app: FastifyInstance; url: string }> {
  const app = await createLibrary(parse(text));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}/city-library/v2` };
}
