// `openapi-server mock`: serves a document before there is any code.
import { pino } from "pino";
import { createServer } from "../server/index.ts";
import { readConfig } from "./config.ts";
import type { CommandIo } from "./io.ts";

export interface MockOptions {
  readonly port: number;
  readonly host: string;
  readonly log: boolean;
  readonly validate: boolean;
  readonly config: string | undefined;
}

/** Serves a document with mock responses. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serveMock(
  document: string,
  { port, host, log, validate, config }: MockOptions,
  io: CommandIo,
  signal?: AbortSignal,
): Promise<void> {
  const logger = pino({ level: log ? "info" : "error" });
  const app = await createServer({
    ...(await readConfig(config)),
    document,
    mock: true,
    validateRequests: validate,
    logger,
  });
  const url = await app.listen({ port, host });
  const docs = app.hasRoute({ method: "GET", url: "/docs/static/*" }) ? `, with its documentation at ${url}/docs` : "";
  io.stdout.write(`Mock server of ${document} at ${url}${docs}.\n`);
  io.stdout.write("openapi-server check lists the parts of the document that it does not enforce.\n");
  const close = () => void app.close();
  for (const event of ["SIGINT", "SIGTERM"] as const) process.once(event, close);
  signal?.addEventListener("abort", close);
}
