// What plugins share: the decorators of the app and of its requests. `openapi/routing/route.ts` has those of operations.
import type { MetricsRegistry } from "../lib/index.ts";
import type { Connections } from "./connection/connections.ts";
import type { ShutdownListener } from "./load/graceful-shutdown.ts";
import type { LoadShedding } from "./load/load-shedding.ts";

/** What the HTTP edge offers to routes. */
export interface Edge {
  /** The metrics of the process, to which each plugin adds its own. */
  readonly metrics: MetricsRegistry;
  /** Whether responses are compressed. */
  readonly compression: boolean;
  /** The names of the constraints of routes that compare the request itself. Routes add theirs, for the Allow header. */
  readonly requestConstraints: string[];
  /** Called when the shutdown begins. Routes add theirs. */
  readonly shutdownListeners: ShutdownListener[];
  /** Undefined if only a reverse proxy connects to the server, and in an existing app without the edge. */
  readonly protection?: Protection | undefined;
}

/** What a server needs that faces clients. */
export interface Protection {
  /** The open connections, and their clients. */
  readonly connections: Connections;
  /** The queue of requests, and the limits of their load. */
  readonly shedding: LoadShedding;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Created by `edge.ts`, before the routes. */
    edge: Edge;
  }
  interface FastifyRequest {
    /** The code of the error response, empty if there is none: from the error handler and the response, for the log. */
    errorCode: string;
    /** The name or id of its caller, for the log; undefined before authentication, and if none is known. */
    callerName: string | undefined;
    /** Whether the route has called its handler. The error handler takes a failure then for that of the application. */
    isHandled: boolean;
    /** The tick of the event loop in which the request was started. Only the batching of responses uses it. */
    tick: number;
  }
}
