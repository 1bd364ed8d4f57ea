// Runs the service: opens the store, builds the app, listens, and closes everything on a signal.
import cluster from "node:cluster";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import type { Server } from "node:net";
import { createSecureContext, type Server as TlsServer } from "node:tls";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { buildApp, type Dependencies } from "./app.ts";
import { generateKey, openKeyCounter } from "./auth/index.ts";
import { type Listening, startWorkers } from "./cluster.ts";
import { type Config, readConfig, settings } from "./config.ts";
import { backlog, type Certificate, collectGarbageWhenIdle, isLoopbackHost, tlsOptions } from "./http/index.ts";
import { escapeControlCharacters, throttleStart, version } from "./lib/index.ts";
import { handlers, prepareRecords, readDocument } from "./pets/index.ts";
import { collectionsOf } from "./resources/index.ts";
import { isInMemory, openStore, type Store } from "./store/index.ts";
import { connectToPrimary, createLogger, openTracing } from "./telemetry/index.ts";

const shutdownTimeout = 9_000; // milliseconds until the process exits in any case; more than the grace period

/** Runs the service until SIGTERM or SIGINT. Rejects with an Error if it can't start. */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const document = await readDocument();
  for (const name of ["BASE_URL", "STAGING_BASE_URL"] as const)
    if (config[name] && !config[name].endsWith(document.basePath))
      throw new Error(`${name} must be ${settings[name].allowed}, ${document.basePath}.`);
  const isPrimary = config.WORKERS > 1 && cluster.isPrimary;
  if (isPrimary && isInMemory(config.DATABASE_URL))
    throw new Error("WORKERS must be 1 with an in-memory database, because other processes can't share it.");

  const logger = await createLogger(config.LOG_LEVEL);
  // The primary also opens the store, so that it is created once and problems are reported once.
  const store = await openStore(config.DATABASE_URL, {
    connections: config.DATABASE_POOL,
    prepare: config.DATABASE_PREPARE,
    collections: collectionsOf(document),
    maxRecords: config.MAX_PETS,
    inBackground: (work) => work.catch((err) => logger.error({ err }, "an index could not be created")),
  });
  if (!cluster.isWorker && !isInMemory(config.DATABASE_URL)) {
    const progress = throttleStart((label: string, done: number, total: number) => logger.info({ done, total }, label));
    const report = (message: string) => logger.warn(message);
    await prepareRecords(config.DATABASE_URL, document, { apply: false, progress, report });
  }
  const listening = isPrimary
    ? await startWorkers(config.WORKERS, logger, config.RATE_LIMIT)
    : await listen(config, { document, store, logger });
  if (listening && cluster.isWorker) process.send?.(listening);
  else if (listening) {
    const key = store.kind === "sqlite" && isLoopbackHost(listening.address) && (await createFirstKey(store));
    const hasKeys = (await store.keys.list()).length > 0;
    printStartupMessage(listening.origin, document.basePath, key, hasKeys);
  }
  if (isPrimary) await store.close();
}

// Builds the app and listens. Resolves to undefined if a signal stopped the service before it listened.
async function listen(
  config: Config,
  { document, store, logger }: Pick<Dependencies, "document" | "store" | "logger">,
): Promise<Listening | undefined> {
  const tls = readCertificate(config);
  const tracing = await openTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
  const metrics = cluster.isWorker ? connectToPrimary() : undefined;
  const keyCounter = (config.RATE_LIMIT && (await openKeyCounter(config, config.RATE_LIMIT, logger))) || undefined;
  const app = await buildApp({ document, handlers, store, config, logger, tls, tracing, metrics, keyCounter });
  const shutdown = new Shutdown(app, async () => {
    await store.close();
    keyCounter?.close();
    await tracing?.end();
  });
  process.on("SIGTERM", shutdown.start).on("SIGINT", shutdown.start);
  const onHangup = tls ? () => reloadCertificate(app, config, logger) : shutdown.start;
  process.on("SIGHUP", () => cluster.isWorker || onHangup()); // the primary replaces its workers
  // The state of the process is unknown. Finishes the requests in progress, then exits.
  process.on("uncaughtException", (error) => {
    if (process.exitCode === 1) return;
    process.exitCode = 1;
    logger.fatal({ err: error }, "uncaught exception: shutting down");
    shutdown.start();
  });
  try {
    // Resolved here: for a name with several addresses, Fastify would start a further server without our listeners.
    const { address } = await lookup(config.HOST);
    if (shutdown.hasStarted) return undefined;
    const origin = await app.listen({ host: address, port: config.PORT, backlog });
    collectGarbageWhenIdle(); // releases the memory of the start, which V8 would keep
    return { origin, address, version };
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`The service can't listen on HOST ${config.HOST}, PORT ${config.PORT}: ${message}.`);
  }
}

// Graceful shutdown: finishes the requests in progress, and then closes the store. Only the first signal has an effect,
// because npm forwards signals that the terminal has already sent.
class Shutdown {
  readonly #app: FastifyInstance;
  readonly #closeDependencies: () => Promise<void>;
  hasStarted = false;

  constructor(app: FastifyInstance, closeDependencies: () => Promise<void>) {
    this.#app = app;
    this.#closeDependencies = closeDependencies;
  }

  readonly start = async (): Promise<void> => {
    if (this.hasStarted) return;
    this.hasStarted = true;
    setTimeout(() => process.exit(), shutdownTimeout).unref(); // if a database does not respond
    await this.#app.close();
    await this.#closeDependencies();
    if (cluster.isWorker) process.disconnect?.();
  };
}

function readCertificate({ TLS_CERT, TLS_KEY }: Config): Certificate | undefined {
  if (TLS_CERT === "" && TLS_KEY === "") return undefined;
  const read = (name: "TLS_CERT" | "TLS_KEY", file: string) => {
    if (file === "") throw new Error(`${name} is not set. Set both TLS_CERT and TLS_KEY.`);
    try {
      return readFileSync(file);
    } catch (error) {
      throw new Error(`The file in ${name} can't be read: ${(error as Error).message}.`);
    }
  };
  const certificate = { cert: read("TLS_CERT", TLS_CERT), key: read("TLS_KEY", TLS_KEY) };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new Error(`TLS_CERT and TLS_KEY must be a certificate and its private key: ${(error as Error).message}.`);
  }
  return certificate;
}

// Affects new connections only. If the certificate is not valid, the previous one stays in use.
function reloadCertificate(app: FastifyInstance, config: Config, log: FastifyBaseLogger): void {
  try {
    // Node resets the options that are not passed again.
    (app.server as Server as TlsServer).setSecureContext({ ...tlsOptions, ...readCertificate(config) });
    log.info("certificate reloaded");
  } catch (error) {
    log.error({ reason: (error as Error).message }, "failed to reload the certificate");
  }
}

// Creates a key for a new store, so that people can try out the service without preparation. Returns false if the
// store has been used.
async function createFirstKey({ records, keys }: Store): Promise<string | false> {
  const isUsed = (await keys.list()).length > 0 || (await records("pets").list({ limit: 1 })).last !== undefined;
  if (isUsed) return false;
  const { key, hash } = generateKey();
  return (await keys.create("first", hash)) && key;
}

// Prints to standard error, because the log on standard output must never contain a key.
function printStartupMessage(origin: string, basePath: string, key: string | false, hasKeys: boolean): void {
  const lines = [`Pet Store is listening at ${origin}${basePath}`, `Documentation: ${origin}/docs`];
  if (key !== false)
    lines.push(
      "API key for your first request. It is not shown again:",
      `  curl -H 'Authorization: Bearer ${key}' '${origin}${basePath}/pets'`,
    );
  if (!hasKeys) lines.push("There is no API key yet. Create one: npx petstore keys create NAME");
  console.error(lines.join("\n"));
}

// `node src/server.ts`, as in a container or a systemd unit, runs the service without npm and the command line.
if (import.meta.main)
  await serve().catch(({ message }: Error) => {
    console.error(`petstore: ${escapeControlCharacters(message.split("\n", 1)[0] as string)}`);
    process.exit(1);
  });
