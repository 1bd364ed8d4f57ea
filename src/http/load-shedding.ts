// Load shedding: responds with 503 as soon as the event loop is saturated, so that accepted requests stay fast.
//
// One tick of the event loop runs all requests that have arrived, and the last of them waits for all others. A single
// long tick is a burst. Long ticks without a pause are a queue that does not drain (compare CoDel: Nichols and
// Jacobson, ACM Queue 10(5), 2012). Cheap requests are always accepted, because a rejection would save little.
//
// Not @fastify/under-pressure, which samples the event loop delay and rejects all requests until the next sample.
import { getHeapStatistics, type HeapInfo } from "node:v8";
import type { FastifyInstance } from "fastify";
import { collectGarbage } from "../lib/index.ts";
import { serviceUnavailable } from "./errors.ts";

const maxTick = 4; // milliseconds
const minRequests = 16; // requests of a tick that are accepted in any case
const cheapRequest = 0.04; // milliseconds per request; a rejection takes a third of this
const maxBurst = 100; // milliseconds of long ticks without a pause that count as a burst
const maxRetryAfter = 3; // seconds; random, so that rejected clients do not all return at once
const cooldown = 4_000; // milliseconds after a rejection without a burst allowance, because rejected clients retry
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
  const load = new EventLoopLoad(clock);
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
    if (!load.isSaturated() && !memory.isFull) {
      load.accept();
      return;
    }
    rejected += 1;
    onReject();
    throw serviceUnavailable("The service has too much to do.", 1 + Math.floor(Math.random() * maxRetryAfter));
  };
}

// Measures the ticks of the event loop that run requests. Times are in milliseconds.
class EventLoopLoad {
  readonly #clock: () => number;
  #inTick = false;
  #tickStart = 0;
  #tickEnd = 0;
  #accepted = 0; // requests in this tick
  #lastPause = 0; // when the event loop last had spare time
  #lastRejection = Number.NEGATIVE_INFINITY;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Whether there is no time for another request in this tick. The first call in a tick starts the measurement. */
  isSaturated(): boolean {
    const now = this.#clock();
    if (!this.#inTick) {
      this.#startTick(now);
      return false;
    }
    const budget = Math.max(maxTick, this.#accepted * cheapRequest);
    const isLong = this.#accepted >= minRequests && now - this.#tickStart > budget;
    if (!isLong || this.#tickStart - this.#lastPause < maxBurst) return false;
    this.#lastRejection = now;
    return true;
  }

  /** Counts a request that is accepted in this tick. */
  accept(): void {
    this.#accepted += 1;
  }

  #startTick(now: number): void {
    this.#inTick = true;
    this.#accepted = 0;
    setImmediate(() => this.#endTick());
    // A gap between ticks is a pause. It may also be a wait for the disk, which rejections would not shorten.
    if (now - this.#tickEnd > maxTick) this.#recordPause(now);
    this.#tickStart = now;
  }

  #endTick(): void {
    this.#inTick = false;
    this.#tickEnd = this.#clock();
    if (this.#tickEnd - this.#tickStart < maxTick) this.#recordPause(this.#tickEnd);
  }

  #recordPause(now: number): void {
    if (now - this.#lastRejection > cooldown) this.#lastPause = now;
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
