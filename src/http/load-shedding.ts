// More work than there is time for: what would have to wait is refused at once, so that what is
// accepted is answered as fast as ever.
//
// A turn of the event loop brings all requests that have arrived, and the last of them waits for all
// others. A long turn alone is a burst, or a machine that stood still; one after the other they are a
// queue that does not end (as "controlled delay" has it: Nichols and Jacobson, ACM Queue 10(5), 2012).
// Many that are cheap are served all the same: to refuse them would take as long.
import { getHeapStatistics, type HeapInfo } from "node:v8";
import type { FastifyInstance } from "fastify";
import { collectGarbage } from "../lib/index.ts";
import type { SweepOptions } from "./connections.ts";
import { serviceUnavailable } from "./errors.ts";

const patience = 4; // milliseconds that a request may wait for others of its turn
const few = 16; // requests of a turn that are let in, however long they take
const cheap = 0.04; // milliseconds that a request may take, which is three times what a refusal takes
const burst = 100; // milliseconds for which turns may be longer than that, without a rest
const longest = 3; // seconds of Retry-After, drawn by lot: who was refused together must not come again together
const relapse = 4_000; // milliseconds after a refusal in which no burst is let in: whoever was refused comes again
const mostHeap = 0.9; // of what Node may have
const lookEvery = 1_000; // milliseconds
const collectEvery = 10_000; // and at most so often for what is garbage of it

/** Lets a request in, or throws the Refusal with 503 where there is no time or no memory for it. */
export type ShedLoad = () => void;

/** Sources of measurements for load shedding, and the period of its checks. */
export interface LoadSheddingOptions extends SweepOptions {
  /** The heap of this process, in bytes. */
  readonly heap?: (() => Pick<HeapInfo, "used_heap_size" | "heap_size_limit">) | undefined;
}

/** Makes what each call of an operation asks first; of each refusal it tells. What is around the interface is always answered: by /healthz others decide what to do about it. */
export function createLoadShedder(
  app: FastifyInstance,
  tell: () => void,
  { clock = () => performance.now(), heap = getHeapStatistics, checkEvery = lookEvery }: LoadSheddingOptions = {},
): ShedLoad {
  let turning = false;
  let began = 0; // the turn
  let served = 0; // in it
  let ended = 0;
  let calm = 0; // when there was time to spare
  let late = Number.NEGATIVE_INFINITY; // when there was none
  let full = false;
  let refused = 0;

  const rest = (now: number) => {
    if (now - late > relapse) calm = now;
  };
  const endTurn = () => {
    turning = false;
    ended = clock();
    if (ended - began < patience) rest(ended);
  };
  const isLate = (): boolean => {
    const now = clock();
    if (turning) {
      const isLong = served >= few && now - began > Math.max(patience, served * cheap);
      if (!isLong || began - calm < burst) return false;
      late = now;
      return true;
    }
    turning = true;
    served = 0;
    setImmediate(endTurn);
    if (now - ended > patience) rest(now); // also where the disk was waited for, which others do not pay for
    began = now;
    return false;
  };
  let collected = Number.NEGATIVE_INFINITY;
  const isFull = () => {
    const { used_heap_size: used, heap_size_limit: limit } = heap();
    return used > mostHeap * limit;
  };
  const look = async () => {
    if (isFull() && clock() - collected > collectEvery) {
      collected = clock();
      await collectGarbage();
    }
    full = isFull();
    if (refused > 0) app.log.warn({ refused, memory: full }, "too much to do: requests were refused");
    refused = 0;
  };
  const timer = setInterval(look, checkEvery).unref();
  app.addHook("onClose", async () => clearInterval(timer));
  return () => {
    if (!isLate() && !full) {
      served += 1;
      return;
    }
    refused += 1;
    tell();
    throw serviceUnavailable("The service has too much to do.", 1 + Math.floor(Math.random() * longest));
  };
}
