// `openapi-server serve`: a service of a document, whose operations are answered from records, without code.
import cluster from "node:cluster";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { readFolder } from "../data/index.ts";
import { isLoopbackHost, redactUrl, toJson, UsageError } from "../lib/index.ts";
import { type Document, type Operation, requireOperations } from "../openapi/index.ts";
import { listDocumentFiles } from "../openapi/tools.ts";
import { listKeySchemes } from "../operate/index.ts";
import { hasRecordsPage } from "../records-page/index.ts";
import {
  countAnswered,
  describePlan,
  listUnanswered,
  openStore,
  planOf,
  type ResourceStore,
  repeatsResponses,
} from "../resources/index.ts";
import {
  createServer,
  describeKeys,
  listen,
  loadDocument,
  runService,
  type Service,
  type Started,
  servesDocs,
  toServerOptions,
} from "../server/index.ts";
import type { Io, Output } from "../terminal/index.ts";
import type { Target } from "./data/target.ts";
import { openApiServer, readHandlers, readService } from "./inputs/config.ts";
import { type KeyOptions, readKeys } from "./inputs/credentials.ts";
import { readWithOverlays } from "./inputs/overlay.ts";
import { defaultsOf, type TargetOptions } from "./inputs/target.ts";
import { listErrors, onStop, refuseNewErrors, reloadOnChange, watchFiles } from "./inputs/watch.ts";
import { createRecords, readSeed, resetStore, seedFiles } from "./seed.ts";

export interface ServeOptions extends TargetOptions, KeyOptions {
  /** Logs each request. */
  readonly log: boolean;
  /** A module with handlers. */
  readonly handlers: string | undefined;
  /** Runs each call of a handler in one transaction, see `transactional` of a store. */
  readonly transactions: boolean;
  /** Only prints the plan. */
  readonly plan: boolean;
  /** The format of the plan. */
  readonly format: "text" | "json";
  /** Answers the other operations with examples of the document. */
  readonly examples: boolean;
  /** Fills empty collections: from the examples of the document (true), with a number of records, or from a folder. */
  readonly seed: string | true | undefined;
  /** Follows the header Prefer, see `createServer`. */
  readonly prefer: boolean;
  /** Deletes all records before. */
  readonly reset: boolean;
  /** Serves agents, too. */
  readonly mcp: boolean;
  /** Serves the new state of the document, the overlays and the modules when one of them changes. */
  readonly watch: boolean;
}

type Inputs = Awaited<ReturnType<typeof readInputs>>;

/** Serves a document from records. The server keeps the process alive, and is closed if `signal` is aborted. */
export async function serve(path: string, options: ServeOptions, io: Io, signal?: AbortSignal): Promise<void> {
  if (options.watch && !options.plan) return serveAndWatch(path, options, io, signal);
  const inputs = await readInputs(path, options, io);
  if (options.plan)
    io.stdout.write(options.format === "json" ? `${toJson(planOf(inputs.document), 2)}\n` : describeInputs(inputs));
  else await run(path, inputs, options, io, { signal });
}

/** Reads the document, the settings and the handlers of a service. Warnings go to `log`, by default standard output. */
export async function readInputs(
  path: string,
  options: Omit<ServeOptions, "format" | "mcp" | "plan" | "prefer" | "reset" | "seed" | "transactions" | "watch">,
  io: Io,
  log: Output = process.stdout,
) {
  const { settings, config } = await readService(options, io.env, defaultsOf(path), "serve");
  const handlers = await readHandlers(options.handlers);
  const source = await readWithOverlays(path, options.overlay, config.allowedFolders);
  // The valid part of the document is served, with errors in its shapes, and examples.
  const logger = pino({ level: settings.logLevel }, log);
  const document = await loadDocument({ ...config, document: source, mock: true }, logger);
  requireOperations(Object.keys(handlers), document);
  return { settings, config, handlers, document };
}

const describeInputs = ({ document, handlers }: Inputs) => describePlan(planOf(document), Object.keys(handlers));

async function serveAndWatch(path: string, options: ServeOptions, io: Io, signal?: AbortSignal): Promise<void> {
  const { allowedFolders } = (await readService(options, io.env, defaultsOf(path), "serve")).config;
  const { overlay = [], config, handlers, keys } = options;
  const others = [...overlay, config, handlers, keys].filter((one) => one !== undefined);
  const watchChanges = await watchFiles(async () => [...(await listDocumentFiles(path, allowedFolders)), ...others]);
  const stop = new AbortController();
  onStop(io, signal, () => stop.abort());
  let inputs = await readInputs(path, options, io);
  if (inputs.settings.workers > 1) throw new UsageError("--watch serves with one process, so --workers must be 1.");
  let app = await run(path, inputs, options, io, { signal: stop.signal });
  if (app === undefined) return; // aborted
  const { port } = app.server.address() as AddressInfo;
  const reload = async () => {
    const next = await readInputs(path, options, io);
    refuseNewErrors(listErrors(next.document, next.config), listErrors(inputs.document, inputs.config));
    const changed = { ...next, settings: { ...next.settings, port } };
    app = await run(path, changed, { ...options, reset: false }, io, { signal: stop.signal, replaces: app });
    const changes = describeChanges(describeInputs(inputs), describeInputs(next));
    inputs = next;
    return `Reloaded ${path}.\n${changes}`;
  };
  void reloadOnChange(watchChanges, reload, io, stop.signal);
}

// The lines of the plan that are removed and added.
function describeChanges(before: string, after: string): string {
  const listNew = (text: string, other: string) => text.split("\n").filter((line) => !other.split("\n").includes(line));
  const removed = listNew(before, after).map((line) => `- ${line.trim()}\n`);
  return [...removed, ...listNew(after, before).map((line) => `+ ${line.trim()}\n`)].join("");
}

async function run(
  path: string,
  { settings, config, handlers, document }: Inputs,
  options: ServeOptions,
  io: Io,
  { signal, replaces }: Pick<Service, "signal" | "replaces">,
): Promise<FastifyInstance | undefined> {
  if (!options.examples && options.handlers === undefined && planOf(document).collections.length === 0)
    throw new Error(
      "The document has no collection: GET of /path/{id}, or of a list, must return a record with its id, an integer or a string. --examples answers with examples.",
    );
  const keys = await readKeys(options);
  requireChecks(document, keys, options, settings);
  const target: Target = { program: openApiServer.name, document, url: settings.data, service: settings.name };
  const seed = options.seed === undefined ? undefined : readSeed(options.seed);
  const files = seed?.folder === undefined || cluster.isWorker ? undefined : await readFolder(target, seed.folder);
  const report = (message: string) => io.stderr.write(`${message}\n`);
  if (!options.transactions && repeatsResponses(document, handlers))
    report("Without --transactions, the Idempotency-Key of operations with a handler has no effect.");
  const createOptions = toAnswers({ config, handlers }, keys, options);
  const storeOptions = { partial: !options.examples };
  if (options.reset && cluster.isPrimary) {
    // Starts once with a store in memory, so that nothing is deleted if the document, the handlers or the port are wrong.
    const resources = openStore("sqlite::memory:", storeOptions);
    const logger = pino({ level: settings.logLevel });
    const all = { ...toServerOptions(settings), ...createOptions(resources), document, resources, logger, report };
    const trial = await createServer(all);
    await listen(trial, settings).finally(() => trial.close());
    await resetStore(target, io);
  }
  return runService({
    document,
    settings,
    createOptions,
    storeOptions,
    report,
    signal,
    replaces,
    async prepare(resources) {
      if (files) await seedFiles(target, files, io);
      else if (seed) await createRecords(seed.count, resources, io);
    },
    announce(started) {
      const unanswered = new Set(listUnanswered(document));
      const isAnswered = ({ id }: Operation) => Object.hasOwn(handlers, id) || !unanswered.has(id);
      const docs = servesDocs(document, config);
      if (!replaces) io.stdout.write(describeServer(started, path, target, { docs, own: Object.keys(handlers) }));
      if (!replaces && options.mcp) io.stdout.write(`Agents (MCP) use ${started.origin}/mcp.\n`);
      if (keys === "any" && hasKeySchemes(document)) io.stdout.write("Each credential is accepted (--key any).\n");
      else if (!options.key && !options.keys && !settings.issuer)
        for (const line of describeKeys(document, started, { createKey: keysCommand(path, options), isAnswered }))
          report(line);
      if (settings.issuer && settings.audience === "")
        io.stdout.write("Tokens for each audience are accepted. --audience sets that of this service.\n");
    },
  });
}

/** Returns the options of `createServer` that say how operations are answered, and for which keys. */
export function toAnswers(
  { config: { formatError, formats }, handlers }: Pick<Inputs, "config" | "handlers">,
  keys: Awaited<ReturnType<typeof readKeys>>,
  { prefer = false, mcp = false, transactions }: Partial<Pick<ServeOptions, "prefer" | "mcp" | "transactions">>,
) {
  return (resources: ResourceStore) => ({
    ...(formatError && { formatError }),
    ...(formats && { formats }),
    handlers,
    context: resources,
    mock: true,
    prefer,
    mcp,
    ...(transactions && { wrap: resources.transactional }),
    apiKeys: keys !== "any",
    ...(keys !== "any" && { staticKeys: keys }),
  });
}

// With the options that select the same database.
function keysCommand(path: string, { data, name, overlay = [] }: TargetOptions): string {
  const place = `${data === undefined ? "" : ` --data ${redactUrl(data)}`}${name === undefined ? "" : ` --name ${name}`}`;
  return `${openApiServer.name} keys create ${path}${place}${overlay.map((one) => ` --overlay ${one}`).join("")} NAME`;
}

const hasKeySchemes = ({ operations }: Document) => listKeySchemes(operations).size > 0;

function requireChecks(
  document: Document,
  keys: Awaited<ReturnType<typeof readKeys>>,
  options: KeyOptions,
  { issuer, host }: Inputs["settings"],
): void {
  if (keys === "any" && !isLoopbackHost(host))
    throw new UsageError(`--key any accepts each credential, so --host ${host} is refused: omit one of them.`);
  if (keys === "any" && issuer)
    throw new UsageError("--key any accepts each credential, so --issuer has no effect: omit one.");
  const given = issuer ? "issuer" : options.key || options.keys ? "key" : undefined;
  if (given && keys !== "any" && !hasKeySchemes(document))
    throw new Error(
      `No operation of the document needs a credential, so --${given} has no effect. Declare \`security\`.`,
    );
}

function describeServer(
  { origin }: Started,
  path: string,
  { document, url }: Target,
  { docs, own }: { readonly docs: boolean; readonly own: readonly string[] },
): string {
  const { basePath } = document;
  const errors = document.findings.list({ strict: false }).filter(({ level }) => level === "error").length;
  const records = docs && hasRecordsPage(document, planOf(document)) ? ` and its records at ${origin}/records` : "";
  return [
    `Serves ${path} at ${origin}${docs ? `, with its documentation at ${origin}/docs${records}` : ""}.`,
    ...(basePath === "" ? [] : [`The paths of its operations begin with ${basePath}.`]),
    ...(errors === 0
      ? []
      : [
          `${errors === 1 ? "1 error of the document leaves" : `${errors} errors of the document leave`} parts of it out: openapi-server check ${path} lists what is wrong.`,
        ]),
    `${countAnswered(document, redactUrl(url), own)}. --plan lists them.`,
    "",
  ].join("\n");
}
