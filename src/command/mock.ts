// `openapi-server mock`: serves a document before there is any code.
import { lookup } from "node:dns/promises";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { collectGarbageWhenIdle } from "../http/index.ts";
import type { Document } from "../openapi/index.ts";
import { describeFindings, listDocumentFiles } from "../openapi/tools.ts";
import { createServer, loadDocument } from "../server/index.ts";
import type { Io } from "../terminal/index.ts";
import { type ConfigOptions, readService } from "./config.ts";
import { watchFiles } from "./watch-files.ts";

export interface MockOptions extends ConfigOptions {
  readonly log: boolean;
  readonly validate: boolean;
  /** Serves the new state of the document when one of its files changes. */
  readonly watch: boolean | undefined;
}

/** Serves a document with mock responses. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serveMock(path: string, options: MockOptions, io: Io, signal?: AbortSignal): Promise<void> {
  const { validate, watch } = options;
  const read = () => readService(options, io.env);
  const { settings, ...first } = await read();
  let { config } = first;
  const logger = pino({ level: settings.logLevel });
  const report = (message: string) => io.stderr.write(`${message}\n`);
  const hosts = { allowedHosts: [settings.host, ...settings.allowedHosts], variablePrefix: settings.variablePrefix };
  const load = () => loadDocument({ ...config, document: path, mock: true }, logger);
  // The errors for which createServer would refuse the document without a mock.
  const listErrors = ({ findings }: Document) =>
    describeFindings(findings.list(config).filter(({ level }) => level === "error"));
  const create = (document: Document) =>
    createServer({ ...config, document, mock: true, validateRequests: validate, logger, report, ...hosts });
  const configs = options.config === undefined ? [] : [options.config];
  const listFiles = async () => [...(await listDocumentFiles(path, config.allowedFolders)), ...configs];
  const watchChanges = watch ? await watchFiles(listFiles) : undefined;
  const document = await load();
  let errors = listErrors(document);
  if (errors.length > 0) io.stderr.write(`${describeErrors(errors)}\nThe rest of it is served.\n`);
  let app = await create(document);
  // With --watch, one address: a reload would release the others of a name, such as localhost, too late.
  const host = watch ? (await lookup(settings.host)).address : settings.host;
  const url = await app.listen({ port: settings.port, host });
  collectGarbageWhenIdle(); // releases the memory of the start, which V8 would keep
  const docs = app.hasRoute({ method: "GET", url: "/docs/static/swagger-initializer.js" })
    ? `, with its documentation at ${url}/docs`
    : "";
  io.stdout.write(`Mock server of ${path} at ${url}${docs}.\n`);
  io.stdout.write("openapi-server check lists the parts of the document that it does not enforce.\n");
  const stop = new AbortController();
  const close = () => {
    stop.abort();
    void app.close();
  };
  for (const event of ["SIGINT", "SIGTERM"] as const) process.once(event, close);
  signal?.addEventListener("abort", close);
  if (watchChanges === undefined) return;
  const { port } = app.server.address() as AddressInfo;
  const reload = async () => {
    try {
      ({ config } = await read());
      const changed = await load();
      const found = listErrors(changed);
      if (found.length > 0 && errors.length === 0) throw new Error(describeErrors(found));
      errors = found;
      const next = await create(changed);
      const previous = app;
      app = next;
      if (stop.signal.aborted) return;
      await replace(previous, next, { port, host });
      io.stdout.write(`Reloaded ${path}.\n`);
    } catch (error) {
      if (!stop.signal.aborted)
        io.stderr.write(
          `openapi-server: ${(error as Error).message}\nThe last valid state of the document is served.\n`,
        );
    }
  };
  void watchChanges(reload, stop.signal);
}

function describeErrors(errors: readonly string[]): string {
  return `The document has errors:\n${errors.map((error) => `- ${error}`).join("\n")}`;
}

const maxAttempts = 50;
const retryDelay = 100; // milliseconds

// The requests in progress of the previous server can complete, and its streams end: their clients connect to the next one.
async function replace(
  previous: FastifyInstance,
  next: FastifyInstance,
  address: { readonly port: number; readonly host: string },
): Promise<void> {
  void previous.close();
  while (previous.server.listening) await nextTurn();
  for (let attempt = 1; ; attempt++)
    try {
      await next.listen(address);
      return;
    } catch (error) {
      // Another process has taken the port meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || attempt === maxAttempts) throw error;
      await sleep(retryDelay);
    }
}
