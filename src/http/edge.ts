// Composes the HTTP edge of a service: limits, timeouts, load shedding, errors and graceful shutdown, in the order that
// their hooks need.
import type { FastifyInstance } from "fastify";
import { MetricsRegistry } from "../lib/index.ts";
import {
  bodyFlow,
  clientErrors,
  connections,
  createNetworkMatcher,
  lingeringClose,
  type MalformedRequest,
  pipelining,
} from "./connection/index.ts";
import { type ErrorFormat, errorHandler } from "./failure/index.ts";
import { createFastify, type FastifyOptions, type LogController } from "./fastify.ts";
import { type CorsOptions, cors, responseHeaders } from "./headers/index.ts";
import {
  type GracefulShutdownOptions,
  gracefulShutdown,
  type IdentifyClient,
  loadShedding,
  type MemoryMonitorOptions,
  memoryMonitor,
} from "./load/index.ts";
import { representations, requestChecks, responseBatching } from "./message/index.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The metrics of the process, to which each plugin adds its own. */
    metrics: MetricsRegistry;
  }
}

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
  readonly formatError?: ErrorFormat | undefined;
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
  const { edge = true, headers, links, trace, cors: origins, gracePeriod, compression = true } = options;
  const { requestLog, metrics = new MetricsRegistry(), formatError: format } = options;
  const app = createFastify({ ...options, logController: requestLog });
  app.decorate("metrics", metrics);
  if (edge) await protect(app, options);
  trace?.(app);
  await app.register(responseHeaders, { headers });
  await app.register(gracefulShutdown, { gracePeriod });
  if (edge) await app.register(lingeringClose);
  if (origins) await app.register(cors, origins);
  await app.register(errorHandler, {
    isLogged: requestLog && ((status) => requestLog.isFailureLogged(status)),
    links,
    format,
  });
  await app.register(representations, { compression });
  await app.register(responseBatching);
  await app.register(requestChecks);
  return app;
}

// What a server needs that faces clients: limits of connections and memory, fairness, and responses to malformed HTTP.
async function protect(app: FastifyInstance, options: EdgeOptions): Promise<void> {
  const { logger, trustProxy = [], maxConnections = 10_000, headers, links, monitor = {} } = options;
  const { identify, requestLog, formatError: format } = options;
  const { clock, checkInterval } = monitor;
  await app.register(memoryMonitor, monitor);
  const isProxy = createNetworkMatcher(trustProxy);
  await app.register(connections, { max: maxConnections, isProxy, clock, checkInterval });
  await app.register(pipelining);
  await app.register(bodyFlow);
  await app.register(loadShedding, { identify, clock });
  const log = (line: MalformedRequest) =>
    requestLog ? requestLog.logMalformed(line) : logger.info(line, "malformed request");
  await app.register(clientErrors, { log, headers, links, format });
}
