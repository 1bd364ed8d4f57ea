// Composes the HTTP edge of a service: limits, timeouts, load shedding, errors and graceful shutdown, in the order that
// their hooks need.
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { MetricsRegistry } from "../lib/index.ts";
import { bodyFlow } from "./connection/body-flow.ts";
import { clientErrors, type MalformedRequest } from "./connection/client-errors.ts";
import { limitConnections } from "./connection/connections.ts";
import { lingeringClose } from "./connection/lingering-close.ts";
import { createNetworkMatcher } from "./connection/networks.ts";
import { pipelining } from "./connection/pipelining.ts";
import type { Edge, Protection } from "./decorators.ts";
import { type ErrorHandlerOptions, errorHandler } from "./failure/error-handler.ts";
import type { FormatFailure } from "./failure/failure-format.ts";
import { createFastify, type FastifyOptions, type LogController, limitServer } from "./fastify.ts";
import { responseHeaders } from "./headers/security-headers.ts";
import { defaultGracePeriod, type GracefulShutdownOptions, gracefulShutdown } from "./load/graceful-shutdown.ts";
import { addLoadShedding, type IdentifyClient } from "./load/load-shedding.ts";
import { type MemoryMonitorOptions, monitorMemory } from "./load/memory-monitor.ts";
import { type CorsOptions, cors } from "./message/cors.ts";
import { representations } from "./message/representation.ts";
import { rejectUnrouted, requestChecks } from "./message/request-checks.ts";
import { responseBatching } from "./message/response-batching.ts";

/** Logs requests and their failures. */
export interface RequestLog extends LogController {
  logMalformed(line: MalformedRequest): void;
  /** Returns whether a failure with this status is logged. */
  isFailureLogged(status: number): boolean;
}

export interface EdgeOptions extends Omit<FastifyOptions, "logController">, GracefulShutdownOptions {
  /** The maximum number of connections. The default is 10,000. */
  readonly maxConnections?: number;
  /** Identifies the client of a request. By default, each network address is a client. */
  readonly identify?: IdentifyClient;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The Link header of error responses. */
  readonly links?: string;
  /** The shape of error responses. The default is `{ code, message, status }`. */
  readonly formatFailure?: FormatFailure | undefined;
  /** Is called for each failure of the application's code or of a dependency, beside the log. */
  readonly onError?: ErrorHandlerOptions["onError"];
  /** The default allows no other origin. */
  readonly cors?: CorsOptions;
  /** Whether responses are compressed. The default is true. */
  readonly compression?: boolean | undefined;
  /** Logs requests. By default, Fastify does, without queries, and all malformed requests and failures are logged. */
  readonly requestLog?: RequestLog | undefined;
  /** Registers the metrics of the plugins. */
  readonly metrics?: MetricsRegistry | undefined;
  /** Adds the hooks of traces: behind load shedding, and before all others. */
  readonly trace?: ((app: FastifyInstance) => void) | undefined;
  /** Number of processes, clocks and limits of the memory monitor. */
  readonly monitor?: MemoryMonitorOptions;
}

/**
 * Creates a Fastify instance that handles everything below the routes. The order of registration is the order of hooks,
 * and part of the contract.
 */
export async function createEdge(options: EdgeOptions): Promise<FastifyInstance> {
  const { edge = true, requestLog, logger } = options;
  const app = createFastify({ ...options, logController: requestLog });
  await addEdge(app, options, edge && logger);
  await app.register(requestChecks, { handlesUnrouted: true });
  return app;
}

/** What can be set for an existing app. The limits are those of its server, and all else is that of its routes. */
export type AppEdgeOptions = Omit<EdgeOptions, keyof FastifyOptions> & Pick<FastifyOptions, "trustProxy">;

const appsWithEdge = new WeakSet<object>();

/**
 * Adds the edge to an existing app that does not listen yet, for the routes of `app`, which can be a part of it. Throws an Error if
 * its server has an edge already, or is not one of HTTP/1.1.
 */
export async function addEdgeToApp(app: FastifyInstance, options: AppEdgeOptions): Promise<void> {
  if (appsWithEdge.has(app.server)) throw new Error("The server has an edge already. Set `edge` once for each app.");
  appsWithEdge.add(app.server);
  limitServer(app.server);
  await addEdge(app, options, app.log);
  await app.register(requestChecks, { handlesUnrouted: app.prefix !== "" }); // at the root, that of the app stays
}

/** Adds to an existing app what the routes of `app` need. Its limits, its headers and its shutdown stay as they are. */
export async function addErrorsToApp(app: FastifyInstance, failures: ErrorHandlerOptions): Promise<void> {
  decorate(app, { metrics: new MetricsRegistry(), compression: false });
  app.addHook("preClose", async () => {
    for (const listener of app.edge.shutdownListeners) listener(defaultGracePeriod);
  });
  await app.register(errorHandler, failures);
  await app.register(representations);
  if (app.prefix !== "") app.setNotFoundHandler(rejectUnrouted); // at the root, that of the app stays
}

// `protectionLog` is undefined or false for an edge without protection.
async function addEdge(
  app: FastifyInstance,
  options: AppEdgeOptions,
  protectionLog: FastifyBaseLogger | false,
): Promise<void> {
  const { headers, links, trace, cors: origins, gracePeriod, compression = true } = options;
  const { requestLog, metrics = new MetricsRegistry(), formatFailure: format, onError } = options;
  const protection = protectionLog ? await protect(app, metrics, options, protectionLog) : undefined;
  decorate(app, { metrics, compression, protection });
  trace?.(app);
  await app.register(responseHeaders, { headers });
  await app.register(gracefulShutdown, { gracePeriod });
  if (protectionLog) await app.register(lingeringClose);
  if (origins) await app.register(cors, origins);
  await app.register(errorHandler, {
    isLogged: requestLog && ((status) => requestLog.isFailureLogged(status)),
    links,
    format,
    onError,
  });
  await app.register(representations);
  await app.register(responseBatching);
}

function decorate(app: FastifyInstance, parts: Pick<Edge, "metrics" | "compression" | "protection">): void {
  app.decorate("edge", { ...parts, requestConstraints: [], shutdownListeners: [] });
}

// What a server needs that faces clients: limits of connections and memory, fairness, and responses to malformed HTTP.
async function protect(
  app: FastifyInstance,
  metrics: MetricsRegistry,
  options: AppEdgeOptions,
  logger: FastifyBaseLogger,
): Promise<Protection> {
  const { trustProxy = [], maxConnections = 10_000, headers, links, monitor = {} } = options;
  const { identify, requestLog, formatFailure: format } = options;
  const { clock, checkInterval } = monitor;
  const memory = monitorMemory(app, monitor);
  const isProxy = createNetworkMatcher(trustProxy);
  const limits = { max: maxConnections, isProxy, clock, checkInterval };
  const connections = limitConnections(app, { metrics, memory, ...limits });
  await app.register(pipelining, { metrics, connections });
  await app.register(bodyFlow);
  const shedding = addLoadShedding(app, { metrics, memory, connections, identify, clock });
  const log = (line: MalformedRequest) =>
    requestLog ? requestLog.logMalformed(line) : logger.info(line, "malformed request");
  await app.register(clientErrors, { log, headers, links, format });
  return { connections, shedding };
}
