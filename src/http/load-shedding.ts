// Load shedding: requests wait in a fair queue while the event loop is busy, and receive 503 if they have waited too
// long or if the memory is full.
//
// Not @fastify/under-pressure, which samples the event loop delay and rejects all requests until the next sample.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { serviceUnavailable } from "./errors.ts";
import { FairQueue } from "./fair-queue.ts";

const maxWait = 500; // milliseconds in the queue
const maxRetryAfter = 3; // seconds; random, so that rejected clients do not all return at once
const logInterval = 1_000; // milliseconds

/** The options of `createLoadShedder`. */
export interface LoadSheddingOptions {
  /** Returns the client of a request. All clients receive an equal share of the requests that are served. */
  readonly clientOf: (request: FastifyRequest) => unknown;
  /** Called for each rejected request. */
  readonly onReject: () => void;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Returns the number of requests that wait for their turn. */
    countQueued(): number;
  }
}

/** A guard that resolves when the request may proceed. Rejects with an HttpError of status 503 otherwise. */
export type LoadShedder = (request: FastifyRequest) => Promise<void> | undefined;

/** Creates the guard. It needs the plugin `memoryMonitor`. */
export function createLoadShedder(app: FastifyInstance, options: LoadSheddingOptions): LoadShedder {
  const { clientOf, onReject, clock = () => performance.now() } = options;
  const queue = new FairQueue(clock);
  let rejected = 0;
  const timer = setInterval(() => {
    if (rejected > 0) app.log.warn({ rejected, memory: app.memory.isFull }, "overloaded: requests rejected");
    rejected = 0;
  }, logInterval).unref();
  app.addHook("onClose", async () => clearInterval(timer));
  app.decorate("countQueued", () => queue.size);
  const reject = () => {
    rejected += 1;
    onReject();
    throw serviceUnavailable("The service has too much to do.", 1 + Math.floor(Math.random() * maxRetryAfter));
  };
  return (request) => {
    if (app.memory.isFull) reject();
    return queue.enter(clientOf(request))?.then((waited) => {
      if (waited > maxWait) reject();
    });
  };
}
