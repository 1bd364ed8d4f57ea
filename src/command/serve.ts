// `openapi-server serve`: answers the operations of a document from records in a store, without code.
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { readFolder } from "../data/index.ts";
import { collectGarbageWhenIdle, isLoopbackHost } from "../http/index.ts";
import { ignoreFailure, redactUrl } from "../lib/index.ts";
import { createServer, type Document, loadDocument } from "../openapi/tools.ts";
import { openStore, type ResourceStore } from "../resources/index.ts";
import type { Io } from "../terminal/index.ts";
import { readConfig, readHandlers } from "./config.ts";
import type { Target } from "./data/target.ts";
import { createSecurity, type KeyOptions, readCredentials } from "./keys.ts";
import { readWithOverlays } from "./overlay.ts";
import { countAnswered, describePlan } from "./plan.ts";
import { createRecords, readSeed, resetStore, seedFiles } from "./seed.ts";
import { storeUrlOf, type TargetOptions } from "./target.ts";

export interface ServeOptions extends TargetOptions, KeyOptions {
  readonly port: number;
  readonly host: string;
  /** Further names of the server. */
  readonly allowHost?: readonly string[] | undefined;
  readonly log: boolean;
  /** A module with handlers. */
  readonly handlers: string | undefined;
  /** Only prints the plan. */
  readonly plan: boolean;
  /** Answers the other operations with examples of the document. */
  readonly examples: boolean;
  /** Fills empty collections: from the examples of the document (true), with a number of records, or from a folder. */
  readonly seed: string | true | undefined;
  /** Deletes all records before. */
  readonly reset: boolean;
}

/** Serves a document from records. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serve(path: string, options: ServeOptions, io: Io, signal?: AbortSignal): Promise<void> {
  const config = await readConfig(options);
  const handlers = await readHandlers(options.handlers);
  const source = await readWithOverlays(path, options.overlay, config.allowedFolders);
  const logger = pino({ level: options.log ? "info" : "error" });
  // The valid part of the document is served, with errors in its shapes, and examples.
  const document = await loadDocument({ ...config, document: source, mock: true }, logger);
  if (options.plan) {
    io.stdout.write(describePlan(document, Object.keys(handlers)));
    return;
  }
  const report = (message: string) => io.stderr.write(`${message}\n`);
  const credentials = await readCredentials(options, report);
  const seed = options.seed === undefined ? undefined : readSeed(options.seed);
  const target: Target = { program: "openapi-server", document, url: storeUrlOf(path, options) };
  if (credentials === undefined && !isLoopbackHost(options.host) && hasSecurity(document))
    throw new Error(
      `Without --key, each credential is accepted. So ${options.host} is refused: pass --key or --issuer, or omit --host.`,
    );
  if (credentials !== undefined && !hasSecurity(document))
    throw new Error(
      `No operation of the document needs a credential, so --${credentials.issuer ? "issuer" : "key"} has no effect. Declare \`security\`.`,
    );
  const files = seed?.folder === undefined ? undefined : await readFolder(target, seed.folder);
  const create = (resources: ResourceStore) =>
    createServer({
      ...config,
      document,
      handlers,
      resources,
      context: resources,
      mock: true,
      logger,
      report,
      allowedHosts: [options.host, ...(options.allowHost ?? [])],
      ...(credentials && { security: createSecurity(document, credentials) }),
    });
  const open = (url: string) => openStore(url, { certainty: "likely", partial: !options.examples });
  const listen = (app: FastifyInstance) => app.listen({ port: options.port, host: options.host });
  if (options.reset) {
    // Starts once with a store in memory, so that nothing is deleted if the document, the handlers or the port are wrong.
    const trial = await create(open("sqlite::memory:"));
    await listen(trial).finally(() => trial.close());
    await resetStore(target, io);
  }
  if (files) await seedFiles(target, files, io);
  const resources = open(target.url);
  const app = await create(resources);
  try {
    if (seed !== undefined && seed.folder === undefined) await createRecords(seed.count, resources, io);
    await listen(app);
    collectGarbageWhenIdle(); // releases the memory of the start, which V8 would keep
  } catch (error) {
    await app.close();
    throw error;
  }
  io.stdout.write(describeServer(app, path, target, Object.keys(handlers)));
  if (credentials === undefined && hasSecurity(document))
    io.stdout.write(
      "Each credential is accepted. --key sets those that are valid. --issuer accepts the tokens of an issuer.\n",
    );
  if (credentials?.issuer) {
    ignoreFailure(credentials.issuer.refresh()); // for the first token; reports a failure
    if (options.audience === undefined)
      io.stdout.write("Tokens for each audience are accepted. --audience sets that of this service.\n");
  }
  const close = () => void app.close();
  for (const event of ["SIGINT", "SIGTERM"] as const) process.once(event, close);
  signal?.addEventListener("abort", close);
}

function describeServer(app: FastifyInstance, path: string, { document, url }: Target, own: readonly string[]): string {
  const address = app.listeningOrigin;
  const hasDocs = app.hasRoute({ method: "GET", url: "/docs/static/swagger-initializer.js" });
  const { basePath } = document;
  const errors = document.findings.list({ strict: false }).filter(({ level }) => level === "error").length;
  return [
    `Serves ${path} at ${address}${hasDocs ? `, with its documentation at ${address}/docs` : ""}.`,
    ...(basePath === "" ? [] : [`The paths of its operations begin with ${basePath}.`]),
    ...(errors === 0
      ? []
      : [
          `${errors === 1 ? "1 error of the document leaves" : `${errors} errors of the document leave`} parts of it out: openapi-server check ${path} lists what is wrong.`,
        ]),
    `${countAnswered(document, own)} from records in ${redactUrl(url)}. --plan lists them.`,
    "",
  ].join("\n");
}

function hasSecurity({ operations }: Document): boolean {
  return operations.some(({ security }) => security.some((schemes) => schemes.length > 0));
}
