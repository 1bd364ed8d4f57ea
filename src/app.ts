// Builds the Fastify app from its plugins. The server and the tests use the same function.
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import {
  type Caller,
  createBearerScheme,
  createFailureLimiter,
  createIdentify,
  type KeyCounter,
  limitKeyRate,
  trackKeyUsage,
} from "./auth/index.ts";
import { catalog } from "./catalog/index.ts";
import type { Config } from "./config.ts";
import type { operations } from "./generated/openapi.ts";
import { type Certificate, createDataHeaders, createEdge, crossSite, type MemoryMonitorOptions } from "./http/index.ts";
import { MetricsRegistry } from "./lib/index.ts";
import { type Document, listForCors, routes, serviceLinks, toPublicUrls } from "./openapi/application.ts";
import { type Context, createContexts, type Handlers } from "./pets/index.ts";
import { createStandardHandlers } from "./resources/index.ts";
import { health, status } from "./status/index.ts";
import type { Store } from "./store/index.ts";
import { type AggregatorClient, RequestLogger, type Tracing, withLazyChildren } from "./telemetry/index.ts";

/** The dependencies of `buildApp`. */
export interface Dependencies {
  readonly document: Document;
  /** Operations of the usual kinds need none: src/resources. */
  readonly handlers: Partial<Handlers>;
  readonly store: Store;
  readonly config: Config;
  readonly logger: Logger;
  /** The certificate for https; undefined serves http. */
  readonly tls?: Certificate | undefined;
  /** Undefined turns tracing off. */
  readonly tracing?: Tracing | undefined;
  /** The metrics of all processes; undefined if this is the only one. */
  readonly metrics?: AggregatorClient | undefined;
  /** Counts the requests of each key. By default, this process does for itself. */
  readonly keyCounter?: KeyCounter | undefined;
  /** Replaces clocks and limits, for tests. */
  readonly overrides?: Overrides;
}

/** Clocks and limits that tests replace. */
export interface Overrides extends MemoryMonitorOptions {
  /** Milliseconds for a client to send its headers. */
  readonly headersTimeout?: number | undefined;
}

const openPaths = ["/healthz", "/readyz", "/metrics", "/status.json"];

const hostOf = (url: string) => URL.parse(url)?.hostname ?? "";

/**
 * Builds the HTTP service. The order of registration is the order of hooks, and part of the contract. Rejects with an
 * Error that names the operation if the document and the code do not agree.
 */
export async function buildApp(dependencies: Dependencies): Promise<FastifyInstance> {
  const { document, handlers, store, config, logger, tls, tracing, metrics: aggregator, keyCounter } = dependencies;
  const { overrides: { clock, ...limits } = {} } = dependencies;
  const urls = toPublicUrls(document, config.BASE_URL);
  const links = serviceLinks(urls.root);
  const isSecure = tls !== undefined || config.BASE_URL.startsWith("https:"); // a proxy can serve TLS
  const metrics = new MetricsRegistry("petstore_");
  const requestLog = new RequestLogger(logger, metrics, document.operations);
  store.metrics.register(metrics);
  keyCounter?.register(metrics);
  const tracedStore = tracing?.traceStore(store) ?? store;
  const identify = createIdentify(tracedStore.keys);
  const app = await createEdge({
    logger: withLazyChildren(logger),
    requestLog,
    metrics,
    trustProxy: config.TRUST_PROXY,
    tls,
    headersTimeout: limits.headersTimeout,
    maxConnections: config.MAX_CONNECTIONS,
    identify,
    headers: createDataHeaders(isSecure),
    links,
    compression: config.COMPRESSION,
    cors: { origins: config.CORS_ORIGINS, ...listForCors(document.operations, tracing?.headers) },
    trace: tracing?.traceRequests,
    // With workers, the primary also takes memory.
    monitor: { processes: config.WORKERS > 1 ? config.WORKERS + 1 : 1, clock, ...limits },
  });

  // Operations need a key, and orchestrators and Prometheus call the others by any name.
  await app.register(crossSite, {
    hosts: [config.HOST, ...config.ALLOWED_HOSTS, ...[config.BASE_URL, config.STAGING_BASE_URL].map(hostOf)],
    origins: config.CORS_ORIGINS,
    settings: ["ALLOWED_HOSTS", "CORS_ORIGINS"],
    isChecked: ({ routeOptions: { config, url = "" } }) => config.operation === undefined && !openPaths.includes(url),
  });

  // The operations of the document
  const usage = trackKeyUsage(app, store.keys);
  const failureLimiter = createFailureLimiter(config.RATE_LIMIT_FAILED, clock);
  const authenticate = createBearerScheme(app, { identify, usage, failureLimiter });
  const standard = createStandardHandlers(document, handlers, tracedStore, { baseUrl: urls.base });
  const answered = Object.keys(standard.handlers);
  if (answered.length > 0) logger.info({ operations: answered }, "operations without a handler of their own");
  await app.register(routes<operations, Context, Caller>, {
    document,
    handlers: { ...standard.handlers, ...handlers } as never, // the start compares them with the document
    handlerReasons: standard.reasons,
    context: createContexts(tracedStore, urls.base),
    security: { apiKey: { type: "http bearer", authenticate } },
    guards: [
      app.shedLoad,
      usage.countDeprecated,
      ...limitKeyRate(config.RATE_LIMIT, { counter: keyCounter?.counter, clock }),
    ],
    baseUrl: urls.base,
    docsUrl: `${urls.root}/docs`,
    links,
    missingHandler: "Run npm run scaffold to add one.",
  });

  // Documentation, health checks and metrics
  await app.register(catalog, { document, urls, config, isSecure });
  await app.register(health, { store });
  await app.register(status, { document, store, config, metrics: aggregator, authenticate, usage });
  app.addHook("onClose", async () => requestLog.flush());
  await app.ready();
  return app;
}
