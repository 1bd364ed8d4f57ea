// A server of a document. The order in which its parts are registered is the order of hooks, and part of the contract.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { createDataHeaders, createEdge, crossSite, type EdgeOptions } from "../http/index.ts";
import { listForCors, type Operation } from "../openapi/index.ts";
import { health, operatorPaths, status, withLazyChildren } from "../operate/index.ts";
import { serveRecordsPage } from "../records-page/index.ts";
import { describeSetting } from "../settings/index.ts";
import { type Dependencies, openDependencies } from "./dependencies.ts";
import { serveDocs } from "./docs.ts";
import type { ServerOptions, UntypedOperations } from "./options.ts";
import { createFailures, type Failures, loadAgents, serveOperations, servesDocs } from "./serve-document.ts";

/**
 * Creates the server of an OpenAPI document: a Fastify instance, with the limits, timeouts, errors and graceful shutdown of
 * `createEdge`, and with what operators have turned on. Rejects with an Error that names the operation if the document can't be served,
 * or if document and handlers do not agree.
 *
 * @example
 * const app = await createServer<operations>({ document: "books.yaml", handlers: { getBook } });
 * await app.listen({ port: 3000 });
 */
export async function createServer<Operations = UntypedOperations, Context = unknown, Caller = unknown>(
  options: ServerOptions<Operations, Context, Caller>,
): Promise<FastifyInstance> {
  const closers: (() => Promise<unknown>)[] = [];
  const errors: unknown[] = [];
  let close = async () => {
    for (const end of closers) await end().catch((error) => errors.push(error)); // the others are closed, too
    if (errors.length > 0) throw errors[0];
  };
  try {
    const dependencies = await openDependencies(options, closers);
    const failures = createFailures(dependencies.document, options, dependencies.urls.root);
    const app = await createEdge(toEdgeOptions(options, dependencies, failures));
    app.addHook("onClose", close);
    close = () => app.close();
    await registerPlugins(app, options, dependencies, failures);
    await app.ready();
    return app;
  } catch (error) {
    await close().catch(() => {}); // the first error counts
    throw error;
  }
}

function toEdgeOptions<Operations, Context, Caller>(
  options: ServerOptions<Operations, Context, Caller>,
  { document, logger, requestLog, metrics, access, tracing }: Dependencies,
  { format, ...failures }: Failures,
): EdgeOptions {
  const { workers = 1, monitor, trustProxy, maxConnections, origins, mock, mcp } = options;
  const setting = describeSetting("origins", options.variablePrefix);
  const ofOptions = [...(mock ? ["Prefer", "Mock-Problem"] : []), ...(mcp ? ["Mcp-Protocol-Version"] : [])];
  const headers = [...(tracing?.headers ?? []), ...ofOptions];
  return {
    logger: requestLog ? withLazyChildren(logger as Logger) : logger,
    requestLog,
    metrics,
    headers: createDataHeaders(isSecure(options)),
    ...failures,
    formatFailure: format,
    compression: options.compression,
    gracePeriod: options.gracePeriod,
    edge: options.edge,
    tls: options.tls,
    headersTimeout: options.headersTimeout,
    identify: options.identify ?? access.identify,
    trace: tracing?.traceRequests,
    // With workers, the primary also takes memory.
    monitor: { processes: workers > 1 ? workers + 1 : 1, ...monitor },
    ...(maxConnections !== undefined && { maxConnections }),
    ...(trustProxy && { trustProxy }),
    ...(origins && { cors: { ...listForCors(document.operations, headers), origins, setting } }),
  };
}

// A proxy can serve TLS.
function isSecure({ tls, publicUrl = "" }: Pick<ServerOptions<never, never, never>, "tls" | "publicUrl">): boolean {
  return tls !== undefined || publicUrl.startsWith("https:");
}

async function registerPlugins<Operations, Context, Caller>(
  app: FastifyInstance,
  options: ServerOptions<Operations, Context, Caller>,
  dependencies: Dependencies,
  failures: Failures,
): Promise<void> {
  const { document, name, report, urls, resources, requestLog, operators, access } = dependencies;
  const { operations, content } = document;
  const store = resources?.store;
  if (options.allowedHosts || options.mcp) await app.register(crossSite, toCrossSiteOptions(options, dependencies));
  if (options.extend) await extendApp(app, options.extend, report);

  // The operations of the document
  const secured = access.secure(app);
  const service = { baseUrl: urls.base, root: urls.root, resources, failures, secured };
  // Encapsulated, so that the routes of the application read their own bodies.
  await app.register(async (scope) => serveOperations(scope, document, options, service));

  // Documentation, health checks and metrics
  const isFree = (path: string) => {
    const operation = operations.find(({ method, template }) => method === "GET" && template.routerPath === path);
    if (operation) report(`The operation ${operation.id} has the path ${path}, so the service has no other one there.`);
    return operation === undefined;
  };
  const docs = { resources, own: Object.keys(options.handlers ?? {}), urls, isSecure: isSecure(options), isFree };
  if (servesDocs(document, options)) {
    await serveDocs(app, document, { ...options, ...docs });
    if (resources?.plan) await serveRecordsPage(app, { document, plan: resources.plan, ...docs });
  }
  if (options.health) await app.register(health, { store, isFree });
  if (options.metrics)
    await app.register(status, {
      name,
      contract: `${content.info?.version}`,
      store: store?.kind,
      workers: options.workers ?? 1,
      metricsFrom: options.metricsFrom ?? [],
      trustProxy: options.trustProxy ?? [],
      operatorKey: options.operatorKey ?? "",
      aggregator: options.aggregator,
      authentication: { ...secured.authentication, identification: operators },
      isFree,
    });
  app.addHook("onClose", async () => requestLog?.flush());
  if (options.mcp) await (await loadAgents()).serveAgents(app, document, Object(options.mcp));
}

// Operations that need a key are not checked, and neither is what orchestrators and Prometheus call by any name.
function toCrossSiteOptions<Operations, Context, Caller>(
  options: ServerOptions<Operations, Context, Caller>,
  { document, access }: Dependencies,
) {
  const { allowedHosts, origins = [], security, publicUrl, stagingUrl, variablePrefix } = options;
  const hostOf = (url = "") => URL.parse(url)?.hostname ?? "";
  const hasChecks = access.identify !== undefined || security !== undefined;
  const withKey = new Set(document.operations.filter((one) => hasChecks && needsKey(one)));
  return {
    hosts: [...(allowedHosts ?? []), hostOf(publicUrl), hostOf(stagingUrl)],
    origins,
    settings: [describeSetting("allowedHosts", variablePrefix), describeSetting("origins", variablePrefix)],
    isChecked({ routeOptions: { config, url = "" } }: FastifyRequest) {
      if (allowedHosts === undefined) return url === "/mcp";
      return config.operation ? !withKey.has(config.operation) : !operatorPaths.includes(url);
    },
  } as const;
}

// Reports plugins of the application that don't become ready, which Fastify does not end without a `pluginTimeout`.
async function extendApp(
  app: FastifyInstance,
  extend: (app: FastifyInstance) => unknown,
  report: (message: string) => void,
): Promise<void> {
  const problem = "A plugin of `extend` is not ready yet: it must call `done`, or return a promise that settles.";
  const timer = setInterval(report, 10_000, problem);
  try {
    await extend(app);
    await app.after();
  } finally {
    clearInterval(timer);
  }
}

// Whether each security requirement has a credential that browsers do not send by themselves, as they send cookies, passwords of Basic
// and certificates: a page of another site does not know it.
function needsKey({ security }: Operation): boolean {
  const isKey = ({ scheme }: Operation["security"][0][0]) =>
    scheme.type === "apiKey"
      ? scheme.in !== "cookie"
      : scheme.type !== "mutualTLS" && !/^basic$/i.test(`${scheme.scheme}`);
  return security.length > 0 && security.every((schemes) => schemes.some(isKey));
}
