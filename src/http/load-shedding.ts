// Load shedding: responds with 503 if requests wait too long, so that the accepted ones stay fast.
//
// Node reads the requests that have arrived in one tick of the event loop, one after the other: a request has waited at
// least since the tick began. Like CoDel (RFC 8289), this rejects only after every tick of an interval has been long,
// because a burst drains by itself, and a stall of the machine is no queue. The wait for a commit is not counted, since
// rejections would not shorten it.
//
// Not @fastify/under-pressure, which samples the event loop delay and rejects all requests until the next sample.
import { getHeapStatistics, type HeapInfo } from "node:v8";
import type { FastifyInstance } from "fastify";
import { collectGarbage } from "../lib/index.ts";
import { serviceUnavailable } from "./errors.ts";

const maxWait = 75; // milliseconds; /healthz waits about as long
const interval = 200; // milliseconds of ticks longer than `maxWait` before requests are rejected
const minRequests = 16; // requests of a tick that are accepted in any case, because a slow machine is no queue
const maxRetryAfter = 3; // seconds; random, so that rejected clients do not all return at once
const maxHeap = 0.9; // of Node's heap limit
const defaultCheckInterval = 1_000; // milliseconds
const minCollectionInterval = 10_000; // milliseconds between two forced garbage collections

type HeapUsage = Pick<HeapInfo, "used_heap_size" | "heap_size_limit">;

/** The options of `createLoadShedder`. */
export interface LoadSheddingOptions {
  /** Called for each rejected request. */
  readonly onReject: () => void;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
  /** Returns the heap of this process, in bytes. */
  readonly heap?: (() => HeapUsage) | undefined;
  /** Milliseconds between two checks of the heap. */
  readonly checkInterval?: number | undefined;
}

/** Creates a guard that throws an HttpError with status 503 if there is no time or memory for the request. */
export function createLoadShedder(app: FastifyInstance, options: LoadSheddingOptions): () => void {
  const { onReject, clock = () => performance.now(), heap = getHeapStatistics } = options;
  const queue = new QueueMonitor(clock);
  const memory = new HeapMonitor(heap, clock);
  let rejected = 0;
  const check = async () => {
    await memory.check();
    if (rejected > 0) app.log.warn({ rejected, memory: memory.isFull }, "overloaded: requests rejected");
    rejected = 0;
  };
  const timer = setInterval(check, options.checkInterval ?? defaultCheckInterval).unref();
  app.addHook("onClose", async () => clearInterval(timer));
  return () => {
    if (!queue.isTooLong() && !memory.isFull) return;
    rejected += 1;
    onReject();
    throw serviceUnavailable("The service has too much to do.", 1 + Math.floor(Math.random() * maxRetryAfter));
  };
}

// Measures how long requests wait. Times are in milliseconds.
class QueueMonitor {
  readonly #clock: () => number;
  #tickStart: number | undefined; // undefined between ticks
  #tickEnd = 0;
  #accepted = 0; // requests in this tick
  #longSince: number | undefined; // the start of the first of the latest ticks that were all long
  #isOverloaded = false;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Whether the current request has waited too long. Call it once for each request. */
  isTooLong(): boolean {
    const now = this.#clock();
    if (this.#tickStart === undefined) this.#startTick(now);
    const waited = now - (this.#tickStart as number);
    if (this.#isOverloaded && this.#accepted >= minRequests && waited > maxWait) return true;
    this.#accepted += 1;
    return false;
  }

  #startTick(now: number): void {
    this.#tickStart = now;
    this.#accepted = 0;
    setImmediate(() => this.#endTick());
    if (now - this.#tickEnd > maxWait) this.#longSince = undefined; // the event loop was idle
    this.#isOverloaded = this.#longSince !== undefined && now - this.#longSince >= interval;
  }

  #endTick(): void {
    this.#tickEnd = this.#clock();
    const start = this.#tickStart as number;
    this.#longSince = this.#tickEnd - start > maxWait ? (this.#longSince ?? start) : undefined;
    this.#tickStart = undefined;
  }
}

// Compares the heap with its limit. Collects garbage before it reports a full heap, because garbage is no load.
class HeapMonitor {
  readonly #heap: () => HeapUsage;
  readonly #clock: () => number;
  #lastCollection = Number.NEGATIVE_INFINITY;
  #isFull = false;

  constructor(heap: () => HeapUsage, clock: () => number) {
    this.#heap = heap;
    this.#clock = clock;
  }

  /** Whether the heap was full at the last check. */
  get isFull(): boolean {
    return this.#isFull;
  }

  async check(): Promise<void> {
    if (this.#exceedsLimit() && this.#clock() - this.#lastCollection > minCollectionInterval) {
      this.#lastCollection = this.#clock();
      await collectGarbage();
    }
    this.#isFull = this.#exceedsLimit();
  }

  #exceedsLimit(): boolean {
    const { used_heap_size: used, heap_size_limit: limit } = this.#heap();
    return used > maxHeap * limit;
  }
}
