// Load shedding: requests wait in a fair queue while the event loop is busy, and receive 503 if they have waited too
// long or if the memory is full.
//
// Not @fastify/under-pressure, which samples the event loop delay and rejects all requests until the next sample.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { andThen, type MaybePromise, type MetricsRegistry, withTimeout } from "../../lib/index.ts";
import type { Connections } from "../connection/connections.ts";
import { toNetwork } from "../connection/networks.ts";
import { serviceUnavailable } from "../failure/http-error.ts";
import { FairQueue } from "./fair-queue.ts";
import type { MemoryMonitor } from "./memory-monitor.ts";

const maxWait = 500; // milliseconds in the queue, and to identify the client of a request before it
const maxRetryAfter = 3; // seconds; random, so that rejected clients do not all return at once
const logInterval = 1_000; // milliseconds

/** Fair queuing between clients, and load shedding by waiting time and memory. */
export interface LoadShedding {
  /**
   * Resolves when further work for a request can start, to the milliseconds that it has waited. With `isRead`, the work is
   * to read a part of its body.
   */
  waitForTurn(request: FastifyRequest, isRead?: boolean): Promise<number>;
  /** Throws an HttpError with status 503 if the request has waited too long, or if the memory is full. */
  shedLoad(request: FastifyRequest): void;
  /** Throws an HttpError with status 503, or rejects with it, if there is no memory for the values of a body. */
  shedBody(body: Buffer): MaybePromise<void>;
}

/** Returns the client of a request; undefined without a valid credential. */
export type IdentifyClient = (request: FastifyRequest) => MaybePromise<{ readonly client?: unknown }>;

export interface LoadSheddingOptions {
  readonly metrics: MetricsRegistry;
  readonly memory: MemoryMonitor;
  readonly connections: Connections;
  /** Identifies the client of a request. By default, each network address is a client. */
  readonly identify?: IdentifyClient | undefined;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Starts the requests of all clients in turn while the event loop is busy. A client is an API key or, of requests without
 * a valid one, a network address. Requests are rejected separately, by `shedLoad`, after authentication: a request
 * without a valid key receives 401.
 */
export function addLoadShedding(app: FastifyInstance, options: LoadSheddingOptions): LoadShedding {
  const { metrics, memory, connections, identify, clock = () => performance.now() } = options;
  const queue = new FairQueue(clock);
  app.server.on("connection", () => queue.recordConnection());
  let shed = 0;
  let logged = 0;
  const timer = setInterval(() => {
    if (shed > logged) app.log.warn({ requests: shed - logged, memory: memory.isFull }, "overloaded: load shed");
    logged = shed;
  }, logInterval).unref();
  metrics.gauge("requests_queued", "Requests that wait because the event loop is busy.", () => queue.size);
  metrics.counter(
    "requests_shed_total",
    "Requests that load shedding rejected because they had waited too long or the memory was full.",
    () => shed,
  );
  app.addHook("onClose", async () => clearInterval(timer));
  const overdue = new WeakSet<FastifyRequest>(); // that have waited too long
  const findIdentity = async (request: FastifyRequest) =>
    identify && withTimeout(Promise.resolve(identify(request)), maxWait, "The client was not identified.");
  const waitForTurn = async (request: FastifyRequest, isRead = false): Promise<number> => {
    if (!queue.isBusy()) return 0;
    const known = connections.clientOf(request.raw.socket);
    if (known !== undefined) return queue.enter(known, true, isRead);
    const identity = await findIdentity(request).catch(() => undefined); // the authentication reports the error
    if (identity?.client === undefined) return queue.enter(toNetwork(request.ip), false, isRead);
    connections.identify(request.raw.socket, identity.client); // now, so that it is not closed before its turn
    return queue.enter(identity.client, true, isRead);
  };
  app.addHook("onRequest", (request, _, done) => {
    if (!queue.isBusy()) return done();
    waitForTurn(request).then((waited) => {
      if (waited > maxWait) overdue.add(request);
      if (!request.raw.socket.destroyed) done();
    });
  });
  const reject = (): never => {
    shed += 1;
    throw serviceUnavailable("The service is overloaded.", 1 + Math.floor(Math.random() * maxRetryAfter));
  };
  return {
    waitForTurn,
    shedLoad(request) {
      if (memory.isFull || overdue.has(request)) reject();
    },
    shedBody: (body) => andThen(memory.hasRoomFor(body), (hasRoom) => (hasRoom ? undefined : reject())),
  };
}
