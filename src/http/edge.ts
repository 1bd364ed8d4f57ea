// Composes the HTTP edge of a service: limits, timeouts, load shedding, errors and graceful shutdown, in the order that
// their hooks need.
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { clientErrors } from "./client-errors.ts";
import { connections } from "./connections.ts";
import { type CorsOptions, cors } from "./cors.ts";
import { errorHandler } from "./error-handler.ts";
import type { ErrorFormat } from "./errors.ts";
import { createFastify, type FastifyOptions } from "./fastify.ts";
import { gracefulShutdown } from "./graceful-shutdown.ts";
import { lingeringClose } from "./lingering-close.ts";
import { type IdentifyClient, loadShedding } from "./load-shedding.ts";
import { type MemoryMonitorOptions, memoryMonitor } from "./memory-monitor.ts";
import { createNetworkMatcher } from "./networks.ts";
import { pipelining } from "./pipelining.ts";
import { requestChecks } from "./request-checks.ts";
import { responseHeaders } from "./security-headers.ts";

/** The options of `createEdge`. */
export interface EdgeOptions extends FastifyOptions {
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
  /** The log of malformed requests. By default, that of the service. */
  readonly malformedLog?: FastifyBaseLogger;
  /** Returns whether a failure with this status is logged. By default, each is. */
  readonly isLogged?: (status: number) => boolean;
  /** Called for each request that load shedding rejects. */
  readonly onReject?: () => void;
  /** Called with the status of each response to a malformed request. */
  readonly onMalformed?: (status: number) => void;
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
  const { logger, trustProxy = [], maxConnections = 10_000, headers, links, trace, monitor = {} } = options;
  const { identify, isLogged, onReject, onMalformed, malformedLog = logger, formatError: format } = options;
  const app = createFastify(options);
  const { clock, checkInterval } = monitor;
  await app.register(memoryMonitor, monitor);
  const isProxy = createNetworkMatcher(trustProxy);
  await app.register(connections, { max: maxConnections, isProxy, clock, checkInterval });
  await app.register(pipelining);
  await app.register(loadShedding, { identify, onReject, clock });
  await app.register(clientErrors, { log: malformedLog, headers, links, format, onResponse: onMalformed });
  trace?.(app);
  await app.register(responseHeaders, { headers });
  await app.register(gracefulShutdown);
  await app.register(lingeringClose);
  if (options.cors) await app.register(cors, options.cors);
  await app.register(errorHandler, { isLogged, links, format });
  await app.register(requestChecks);
  return app;
}
