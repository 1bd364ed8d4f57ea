// Runs a service: opens its store, listens, and closes everything on a signal, in one process or in several.
import cluster from "node:cluster";
import { lookup } from "node:dns/promises";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { backlog, collectGarbageWhenIdle } from "../http/index.ts";
import { isLoopbackHost, throttleStart, version } from "../lib/index.ts";
import type { Document } from "../openapi/index.ts";
import {
  connectToPrimary,
  createLogger,
  generateKey,
  type Listening,
  listKeySchemes,
  startWorkers,
} from "../operate/index.ts";
import { collectionsOf, openStore, type ResourceStore, type ResourceStoreOptions } from "../resources/index.ts";
import { describeSetting, type SettingName, type Settings, settings, toDocumentOptions } from "../settings/index.ts";
import { isInMemory, type Store } from "../store/index.ts";
import { readCertificate, reloadCertificate } from "./certificate.ts";
import { createServer } from "./create-server.ts";
import { nameOf } from "./dependencies.ts";
import type { ServerOptions, UntypedOperations } from "./options.ts";
import { takeOver } from "./take-over.ts";

const shutdownTimeout = 9_000; // milliseconds until the process exits in any case; more than the grace period

type ServiceOptions = Partial<Omit<ServerOptions<UntypedOperations, unknown, unknown>, "document" | "resources">>;

/** A service: a document, what answers its operations, and settings. */
export interface Service {
  readonly document: Document;
  readonly settings: Settings;
  /** Options of `createServer`, for the store of its records. */
  readonly createOptions: (resources: ResourceStore) => ServiceOptions;
  readonly storeOptions?: ResourceStoreOptions | undefined;
  /** Receives sentences for the operator. By default, they are logged. */
  readonly report?: ((message: string) => void) | undefined;
  /** Runs once, before the service listens. */
  readonly prepare?: ((resources: ResourceStore) => Promise<void>) | undefined;
  /** Is called once, when the service listens. */
  readonly announce: (started: Started) => void;
  /** Closes the server if it is aborted, as a signal does. */
  readonly signal?: AbortSignal | undefined;
  /** A server of the same address, which closes when this one can listen. */
  readonly replaces?: FastifyInstance | undefined;
}

/** A service that listens. */
export interface Started extends Listening {
  /** A first key, if the store is new; or whether it has keys. */
  readonly firstKey: string | undefined;
  readonly hasKeys: boolean;
}

/** Returns the options of `createServer` that settings have. */
export function toServerOptions(values: Settings) {
  const describe = (name: SettingName) => describeSetting(name, values.variablePrefix);
  if (values.audience !== "" && values.issuer === "")
    throw new Error(`${describe("audience")} needs ${describe("issuer")}, whose tokens it is for.`);
  const { name, host, allowedHosts, issuer, audience, docs: _, readOnly: __, strict: ___, ...others } = values;
  return {
    ...others,
    ...toDocumentOptions(values),
    allowedHosts: [host, ...allowedHosts],
    apiKeys: true,
    health: true,
    metrics: true,
    tls: readCertificate(values),
    ...(name !== "" && { name }),
    ...(issuer !== "" && { issuer }),
    ...(audience !== "" && { audience }),
  };
}

/**
 * Runs a service until SIGTERM or SIGINT. Resolves when it listens, to its server, unless that is in other processes. Rejects with an
 * Error if it can't start.
 */
export async function runService(service: Service): Promise<FastifyInstance | undefined> {
  const { document, settings } = service;
  requireUrls(settings, document.basePath);
  const isPrimary = settings.workers > 1 && cluster.isPrimary;
  const isWorker = settings.workers > 1 && cluster.isWorker;
  if (isPrimary && isInMemory(settings.data)) {
    const workers = describeSetting("workers", settings.variablePrefix);
    throw new Error(`${workers} must be 1 with an in-memory database, because other processes can't share it.`);
  }
  const logger = await createLogger(settings.logLevel);
  const resources = openStore(settings.data, {
    connections: settings.databasePool,
    prepare: settings.databasePrepare,
    maxRecords: settings.maxRecords,
    ...service.storeOptions,
    ...(isWorker && { preparation: "skip" }), // the primary has done it
  });
  const options = service.createOptions(resources);
  const run = { resources, logger, options };
  if (!isPrimary) {
    const started = await startServer(service, run);
    await announce(service, run, started);
    return started?.app;
  }
  try {
    await announce(service, run, await startPrimary(service, run));
  } finally {
    await closeStore(resources);
  }
  return undefined;
}

async function closeStore(resources: ResourceStore): Promise<void> {
  let store: Store;
  try {
    ({ store } = resources);
  } catch {
    return; // it was not opened
  }
  await store.close();
}

// A worker reports its address to the primary. Otherwise, creates the first key of a new SQLite store on loopback, and informs the
// operator.
async function announce(
  { document, settings, announce }: Service,
  { resources, options }: Run,
  started: StartedServer | undefined,
): Promise<void> {
  if (started === undefined) return;
  const { listening, isNew } = started;
  if (settings.workers > 1 && cluster.isWorker) return void process.send?.(listening);
  const { store } = resources;
  const accepts = options.apiKeys !== false && listKeySchemes(document.operations).size > 0;
  const needsKey = accepts && !options.staticKeys?.length && settings.issuer === "";
  const isOpen = isNew && store.kind === "sqlite" && isLoopbackHost(listening.address);
  const firstKey = needsKey && isOpen ? await createFirstKey(store) : undefined;
  announce({ ...listening, firstKey, hasKeys: !accepts || (await store.keys.list()).length > 0 });
}

function requireUrls(values: Settings, basePath: string): void {
  for (const name of ["publicUrl", "stagingUrl"] as const)
    if (values[name] && !values[name].endsWith(basePath))
      throw new Error(
        `${describeSetting(name, values.variablePrefix)} must be ${settings[name].allowed}, ${basePath}.`,
      );
}

interface Run {
  readonly resources: ResourceStore;
  readonly logger: Logger;
  readonly options: ServiceOptions;
}

interface StartedServer {
  readonly listening: Listening;
  /** Whether the store had neither keys nor records before. */
  readonly isNew: boolean;
  readonly app?: FastifyInstance;
}

// Also opens the store, so that it is created once and problems are reported once.
async function startPrimary(
  { document, settings, report, prepare }: Service,
  { resources, logger }: Run,
): Promise<StartedServer | undefined> {
  const receive = report ?? ((message: string) => logger.warn(message));
  const name = nameOf(document, settings.name || undefined);
  const server = { handlers: {}, baseUrl: "", maxBytes: Number.POSITIVE_INFINITY, logger, report: receive };
  await resources.open(document, { ...server, service: name, progress: throttleStart(receive) });
  const isNew = await isUnused(resources.store, document);
  await prepare?.(resources);
  const listening = await startWorkers({ name, count: settings.workers, log: logger, limit: settings.rateLimit });
  return listening && { listening, isNew };
}

// Resolves to undefined if a signal stopped the service before it listened.
async function startServer(
  { document, settings, report, prepare, signal, replaces }: Service,
  { resources, logger, options }: Run,
): Promise<StartedServer | undefined> {
  const isWorker = settings.workers > 1 && cluster.isWorker;
  const app = await createServer({
    ...toServerOptions(settings),
    document,
    logger: logger as FastifyBaseLogger,
    resources,
    report,
    aggregator: isWorker ? connectToPrimary() : undefined,
    ...options,
  });
  const shutdown = new Shutdown(app, signal === undefined);
  signal?.addEventListener("abort", shutdown.start);
  if (signal?.aborted) void shutdown.start();
  if (signal === undefined) handleSignals(app, settings, shutdown);
  try {
    const isNew = !isWorker && (await isUnused(resources.store, document));
    if (!isWorker) await prepare?.(resources);
    const start = () => listen(app, settings, () => shutdown.hasStarted);
    const place = await (replaces ? takeOver(replaces, start) : start());
    if (place === undefined) return undefined;
    collectGarbageWhenIdle(); // releases the memory of the start, which V8 would keep
    return { listening: { ...place, version }, isNew, app };
  } catch (error) {
    await app.close();
    throw error;
  }
}

// The settings to change, by the codes of errors.
const settingsOfFailures: Readonly<Record<string, SettingName>> = {
  EADDRINUSE: "port",
  EACCES: "port",
  EADDRNOTAVAIL: "host",
  ENOTFOUND: "host",
};

/** Listens at the address of the settings, unless `isStopped`. Rejects with an Error that names the settings. */
export async function listen(
  app: FastifyInstance,
  { host, port, variablePrefix }: Pick<Settings, "host" | "port" | "variablePrefix">,
  isStopped = () => false,
): Promise<Omit<Listening, "version"> | undefined> {
  try {
    // Resolved here: for a name with several addresses, Fastify would start a further server without our listeners.
    const { address } = await lookup(host);
    if (isStopped()) return undefined;
    return { origin: await app.listen({ host: address, port, backlog }), address };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const name = settingsOfFailures[`${code}`];
    const advice = name ? ` Choose another one with ${describeSetting(name, variablePrefix)}.` : "";
    throw new Error(`The service can't listen on host ${host}, port ${port}: ${message}.${advice}`, { cause: error });
  }
}

function handleSignals(app: FastifyInstance, values: Settings, shutdown: Shutdown): void {
  process.on("SIGTERM", shutdown.start).on("SIGINT", shutdown.start);
  const onHangup = values.tlsCert ? () => reloadCertificate(app, values) : shutdown.start;
  process.on("SIGHUP", () => cluster.isWorker || onHangup()); // the primary replaces its workers
  // The state of the process is unknown. Finishes the requests in progress, then exits.
  process.on("uncaughtException", (error) => {
    if (process.exitCode === 1) return;
    process.exitCode = 1;
    app.log.fatal({ err: error }, "uncaught exception: shutting down");
    shutdown.start();
  });
}

// Graceful shutdown: finishes the requests in progress, and then closes the store. Only the first signal has an effect,
// because npm forwards signals that the terminal has already sent.
class Shutdown {
  readonly #app: FastifyInstance;
  readonly #endsProcess: boolean;
  hasStarted = false;

  /** `endsProcess` says whether the process exits after a while in any case. */
  constructor(app: FastifyInstance, endsProcess: boolean) {
    this.#app = app;
    this.#endsProcess = endsProcess;
  }

  readonly start = async (): Promise<void> => {
    if (this.hasStarted) return;
    this.hasStarted = true;
    // If a database does not respond, or a handler holds the process.
    if (this.#endsProcess) setTimeout(() => process.exit(), shutdownTimeout).unref();
    await this.#app.close();
    if (cluster.isWorker) process.disconnect?.();
  };
}

async function isUnused({ records, keys }: Store, document: Document): Promise<boolean> {
  if ((await keys.list()).length > 0) return false;
  for (const { name } of collectionsOf(document))
    if ((await records(name).list({ limit: 1 })).last !== undefined) return false;
  return true;
}

// So that people can try out the service without preparation.
async function createFirstKey({ keys }: Store): Promise<string | undefined> {
  const { key, hash } = generateKey();
  return (await keys.create("first", hash)) ? key : undefined;
}
