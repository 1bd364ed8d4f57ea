// Builds the Fastify app from its plugins. The server and the tests use the same function.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import {
  type Caller,
  createBearerScheme,
  createFailureLimiter,
  createKeyLookup,
  type KeyLookup,
  limitKeyRate,
  trackKeyUsage,
} from "./auth/index.ts";
import type { Config } from "./config.ts";
import { docs } from "./docs/index.ts";
import {
  type Certificate,
  clientErrors,
  connections,
  cors,
  createFastify,
  createNetworkMatcher,
  createSecurityHeaders,
  errorHandler,
  gracefulShutdown,
  jsonBody,
  lingeringClose,
  loadShedding,
  type MemoryMonitorOptions,
  memoryMonitor,
  pipelining,
  requestChecks,
  responseHeaders,
  serviceLinks,
} from "./http/index.ts";
import { throttle } from "./lib/index.ts";
import { createContexts, type Handlers, type PetStoreApplication } from "./pets/index.ts";
import { type Document, listForCors, routes, toPublicUrls } from "./spec/index.ts";
import { createStoreCheck, health, status } from "./status/index.ts";
import type { Store } from "./store/index.ts";
import {
  aggregateLocally,
  LogLimiter,
  type MetricsHub,
  RequestLogger,
  RequestMetrics,
  type Tracing,
  withLazyChildren,
} from "./telemetry/index.ts";

/** The dependencies of `buildApp`. */
export interface Dependencies {
  readonly document: Document;
  readonly handlers: Handlers;
  readonly store: Store;
  readonly config: Config;
  readonly logger: Logger;
  /** The certificate for https; undefined serves http. */
  readonly tls?: Certificate | undefined;
  /** Undefined turns tracing off. */
  readonly tracing?: Tracing | undefined;
  /** The metrics of all processes; undefined if this is the only one. */
  readonly metrics?: MetricsHub | undefined;
  /** Replaces clocks and limits, for tests. */
  readonly overrides?: Overrides;
}

/** Clocks and limits that tests replace. */
export interface Overrides extends MemoryMonitorOptions {
  /** Milliseconds for a client to send its headers. */
  readonly headersTimeout?: number | undefined;
}

/**
 * Builds the HTTP service. The order of registration is the order of hooks, and part of the contract. Rejects with an
 * Error that names the operation if the document and the code do not agree.
 */
export async function buildApp(dependencies: Dependencies): Promise<FastifyInstance> {
  const { document, handlers, store, config, logger, tls, tracing, overrides = {} } = dependencies;
  const urls = toPublicUrls(document, config.BASE_URL);
  const links = serviceLinks(urls.root);
  const headers = createSecurityHeaders(tls !== undefined, [config.BASE_URL, config.STAGING_BASE_URL]);
  const requestMetrics = new RequestMetrics(document.operations);
  const logLimiter = new LogLimiter(logger, requestMetrics.recordDroppedLogLine);
  const app = createFastify({
    logger: withLazyChildren(logger),
    logController: new RequestLogger(logger, requestMetrics.recordResponse, logLimiter),
    trustProxy: config.TRUST_PROXY,
    tls,
    headersTimeout: overrides.headersTimeout,
  });

  const tracedStore = tracing?.traceStore(store) ?? store;
  const findKey = createKeyLookup(tracedStore.keys);
  await registerEdge(app, { ...dependencies, findKey, requestMetrics, logLimiter, links, headers: headers.data });

  // The operations of the document
  const usage = trackKeyUsage(app, store);
  const failureLimiter = createFailureLimiter(config.RATE_LIMIT_FAILED, overrides.clock);
  const onUse = (caller: Caller, hash: string, { raw }: FastifyRequest) => {
    usage.recordUse(caller);
    app.identifyConnection(raw.socket, hash);
  };
  const authenticate = createBearerScheme({ findKey, onUse, onReject: app.anonymizeClient, failureLimiter });
  await app.register(routes<PetStoreApplication>, {
    document,
    handlers,
    context: createContexts(tracedStore, urls.base),
    security: { apiKey: { type: "http bearer", authenticate } },
    guards: [app.shedLoad, usage.countDeprecated, ...limitKeyRate(config.RATE_LIMIT, overrides.clock)],
    baseUrl: urls.base,
    docsUrl: `${urls.root}/docs`,
    links,
  });

  // Documentation, health checks and metrics
  await app.register(docs, { document, urls, config, headers: headers.page });
  const checkStore = createStoreCheck(store);
  await app.register(health, { checkStore });
  const metrics =
    dependencies.metrics ?? aggregateLocally(throttle((err) => logger.warn({ err }, "failed to aggregate metrics")));
  const statusOptions = { document, store, checkStore, config, metrics, authenticate, requestMetrics, usage };
  await app.register(status, { ...statusOptions, headers: headers.status });
  app.addHook("onClose", async () => logLimiter.flush());
  await app.ready();
  return app;
}

interface EdgeOptions extends Pick<Dependencies, "document" | "config" | "tracing" | "overrides"> {
  readonly findKey: (request: FastifyRequest) => Promise<KeyLookup>;
  readonly requestMetrics: RequestMetrics;
  readonly logLimiter: LogLimiter;
  readonly links: string;
  readonly headers: Readonly<Record<string, string>>;
}

// Registers the plugins for all requests, including those that match no route.
async function registerEdge(app: FastifyInstance, options: EdgeOptions): Promise<void> {
  const { document, config, tracing, overrides = {}, findKey, requestMetrics, logLimiter, links, headers } = options;
  // With workers, the primary also takes memory.
  const processes = config.WORKERS > 1 ? config.WORKERS + 1 : 1;
  await app.register(memoryMonitor, { processes, ...overrides });
  const isProxy = createNetworkMatcher(config.TRUST_PROXY);
  await app.register(connections, { max: config.MAX_CONNECTIONS, isProxy, ...overrides });
  await app.register(pipelining);
  const identify = async (request: FastifyRequest) => {
    const found = await findKey(request);
    return "key" in found ? found.hash : undefined;
  };
  await app.register(loadShedding, { identify, onReject: requestMetrics.recordRejection, clock: overrides.clock });
  const log = logLimiter.limitInfo();
  await app.register(clientErrors, { log, headers, links, onResponse: requestMetrics.recordMalformed });
  tracing?.traceRequests(app);
  await app.register(responseHeaders, { headers });
  await app.register(gracefulShutdown);
  await app.register(lingeringClose);
  const traceHeaders = tracing ? ["traceparent", "tracestate"] : [];
  await app.register(cors, { origins: config.CORS_ORIGINS, ...listForCors(document.operations, traceHeaders) });
  await app.register(errorHandler, { links, isLogged: logLimiter.takeFailure });
  await app.register(requestChecks);
  await app.register(jsonBody);
}
