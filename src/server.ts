// Configuration, store, app, listen, close: what it takes to run the service, and nothing else.
import cluster from "node:cluster";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import type { Server } from "node:net";
import { createSecureContext, type Server as TlsServer } from "node:tls";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { buildApp, type Dependencies } from "./app.ts";
import { generateKey } from "./auth/index.ts";
import { startWorkers } from "./cluster.ts";
import { type Config, readConfig, settings } from "./config.ts";
import { backlog, type Certificate } from "./http/index.ts";
import { collectGarbage, escapeControlCharacters } from "./lib/index.ts";
import { handlers, readDocument } from "./pets/index.ts";
import { openStore, type Store } from "./store/index.ts";
import { connectToPrimary, createLogger, openTracing } from "./telemetry/index.ts";

const grace = 8_000; // milliseconds for what is under way when the service is told to end
const lastGrace = 9_000; // and for all

/** Runs the service until SIGTERM or SIGINT. Rejects with an Error that says why it can't start. */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const document = await readDocument();
  for (const name of ["BASE_URL", "STAGING_BASE_URL"] as const)
    if (config[name] && !config[name].endsWith(document.basePath))
      throw new Error(`${name} must be ${settings[name].allowed}, ${document.basePath}.`);
  const several = config.WORKERS > 1 && cluster.isPrimary;
  if (several && config.DATABASE_URL === "sqlite::memory:")
    throw new Error("WORKERS must be 1 for a store in memory, which other processes can't share.");

  // Also where workers serve: what is wrong with it is said once, and it is made once.
  const store = await openStore(config.DATABASE_URL, { connections: config.DATABASE_POOL });
  const logger = await createLogger(config.LOG_LEVEL);
  const listening = several
    ? await startWorkers(config.WORKERS, logger)
    : await listen({ config, document, store, logger });
  if (listening && cluster.isWorker) process.send?.(listening);
  else if (listening) {
    const embedded = config.DATABASE_URL.startsWith("sqlite:");
    const key = embedded && isLoopback(listening.address) && (await makeFirstKey(store));
    greet(listening.origin, document.basePath, key, (await store.keys.list()).length === 0);
  }
  if (several) await store.close();
}

async function listen({ config, ...parts }: Pick<Dependencies, "document" | "store" | "logger"> & { config: Config }) {
  const tls = readCertificate(config);
  const tracing = await openTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, parts.logger);
  const figures = cluster.isWorker ? connectToPrimary() : undefined;
  const app = await buildApp({ ...parts, config, handlers, tls, tracing, metrics: figures });

  // A second signal changes nothing: npm sends its child the one that the terminal sent already.
  let closing = false;
  const close = async () => {
    if (closing) return;
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), grace).unref();
    setTimeout(() => process.exit(), lastGrace).unref(); // whatever a database that hangs keeps open
    await app.close();
    await parts.store.close();
    await tracing?.end();
    if (cluster.isWorker) process.disconnect?.();
  };
  process.on("SIGTERM", close).on("SIGINT", close);
  // A hangup of a worker is for src/cluster.ts to obey: each new one reads the certificate anew.
  process.on("SIGHUP", () => cluster.isWorker || (tls ? renewCertificate(app, config, parts.logger) : close()));
  // Nobody knows what it left half done: what is under way is answered, and then a new process is better.
  process.on("uncaughtException", (error) => {
    if (process.exitCode === 1) return;
    process.exitCode = 1;
    parts.logger.fatal({ err: error }, "a fault outside of any request: the service ends");
    close();
  });
  // What only the start needed, checks of the document above all: else it stays for as long as nobody asks.
  await collectGarbage();
  try {
    // One address: for a name that has several, Fastify would start a server that knows less for each more.
    const { address } = await lookup(config.HOST);
    // Told to end before it began.
    return closing ? undefined : { origin: await app.listen({ host: address, port: config.PORT, backlog }), address };
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`The service can't listen on HOST ${config.HOST}, PORT ${config.PORT}: ${message}.`);
  }
}

function readCertificate({ TLS_CERT, TLS_KEY }: Config): Certificate | undefined {
  if (TLS_CERT === "" && TLS_KEY === "") return undefined;
  const read = (name: "TLS_CERT" | "TLS_KEY", file: string) => {
    if (file === "") throw new Error(`${name} must be ${settings[name].allowed}.`);
    try {
      return readFileSync(file);
    } catch (error) {
      throw new Error(`The file of ${name} can't be read: ${(error as Error).message}.`);
    }
  };
  const certificate = { cert: read("TLS_CERT", TLS_CERT), key: read("TLS_KEY", TLS_KEY) };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new Error(`TLS_CERT and TLS_KEY are no certificate and its key: ${(error as Error).message}.`);
  }
  return certificate;
}

// For connections that come from now on. What can't be used changes nothing.
function renewCertificate(app: FastifyInstance, config: Config, log: FastifyBaseLogger): void {
  try {
    (app.server as Server as TlsServer).setSecureContext(readCertificate(config) as Certificate);
    log.info("the certificate was read anew");
  } catch (error) {
    log.error({ reason: (error as Error).message }, "the certificate stays as it is");
  }
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

// A store without any key is of no use: who tries it out on their own machine is given one.
async function makeFirstKey({ pets, keys }: Store): Promise<string | false> {
  const used = (await keys.list()).length > 0 || (await pets.list({ limit: 1 })).pets.length > 0;
  if (used) return false;
  const { key, hash } = generateKey();
  return (await keys.create("first", hash)) && key;
}

// For people, and so on standard error: the log on standard output never holds a key.
function greet(origin: string, basePath: string, key: string | false, keyless: boolean): void {
  const lines = [`Pet Store at ${origin}${basePath}, documentation at ${origin}/docs`];
  if (key)
    lines.push(
      "The first key, shown this once:",
      `  curl -H 'Authorization: Bearer ${key}' '${origin}${basePath}/pets'`,
    );
  if (keyless) lines.push("There is no key yet: make one with npx petstore keys create NAME");
  console.error(lines.join("\n"));
}

// `node src/server.ts`, as a container or systemd starts it: without npm, a shell, or the command line.
if (import.meta.main)
  await serve().catch(({ message }: Error) => {
    console.error(`petstore: ${escapeControlCharacters(message.split("\n", 1)[0] as string)}`);
    process.exit(1);
  });
