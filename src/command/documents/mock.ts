// `openapi-server mock`: serves a document before there is any code.
import { lookup } from "node:dns/promises";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { collectGarbageWhenIdle } from "../../http/index.ts";
import type { Document } from "../../openapi/index.ts";
import { listDocumentFiles } from "../../openapi/tools.ts";
import { createServer, loadDocument, takeOver } from "../../server/index.ts";
import type { Io } from "../../terminal/index.ts";
import { type ConfigOptions, readService } from "../inputs/config.ts";
import { describeErrors, listErrors, onStop, refuseNewErrors, reloadOnChange, watchFiles } from "../inputs/watch.ts";

export interface MockOptions extends ConfigOptions {
  readonly log: boolean;
  readonly validate: boolean;
  /** Serves agents, too. */
  readonly mcp: boolean;
  /** Serves the new state of the document when one of its files changes. */
  readonly watch: boolean | undefined;
}

/** Serves a document with mock responses. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serveMock(path: string, options: MockOptions, io: Io, signal?: AbortSignal): Promise<void> {
  const { validate, watch, mcp } = options;
  const read = () => readService(options, io.env);
  const { settings, ...first } = await read();
  let { config } = first;
  const logger = pino({ level: settings.logLevel });
  const report = (message: string) => io.stderr.write(`${message}\n`);
  const hosts = { allowedHosts: [settings.host, ...settings.allowedHosts], variablePrefix: settings.variablePrefix };
  const load = () => loadDocument({ ...config, document: path, mock: true }, logger);
  const create = (document: Document) =>
    createServer({ ...config, document, mock: true, validateRequests: validate, mcp, logger, report, ...hosts });
  const configs = options.config === undefined ? [] : [options.config];
  const listFiles = async () => [...(await listDocumentFiles(path, config.allowedFolders)), ...configs];
  const watchChanges = watch ? await watchFiles(listFiles) : undefined;
  const document = await load();
  let errors = listErrors(document, config);
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
  if (mcp) io.stdout.write(`Agents (MCP) use ${url}/mcp.\n`);
  io.stdout.write("openapi-server check lists the parts of the document that it does not enforce.\n");
  const stop = new AbortController();
  onStop(io, signal, () => {
    stop.abort();
    void app.close();
  });
  if (watchChanges === undefined) return;
  const { port } = app.server.address() as AddressInfo;
  const reload = async () => {
    ({ config } = await read());
    const changed = await load();
    const found = listErrors(changed, config);
    refuseNewErrors(found, errors);
    errors = found;
    const next = await create(changed);
    const previous = app;
    app = next;
    if (!stop.signal.aborted) await takeOver(previous, () => next.listen({ port, host }));
    return `Reloaded ${path}.\n`;
  };
  void reloadOnChange(watchChanges, reload, io, stop.signal);
}
