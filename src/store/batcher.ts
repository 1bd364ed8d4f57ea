// Many calls as one. A write is dear for its sync to the disk, a question to another machine for its
// way there and back: one serves all who ask at the time.

import { Unavailable } from "../lib/index.ts";
import { captureContext, type RunInContext, runForCalls } from "./query-channel.ts";

interface Waiting<T, R> {
  readonly item: T;
  readonly call: RunInContext | undefined;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Why a call is refused that would have to wait for more than those that are under way. */
export const busy = "The store is busy.";

/** How many calls go together at most, and how many may wait. */
export interface BatchLimits {
  readonly maxBatch: number;
  readonly maxWaiting: number;
}

/**
 * A call whose items are sent together: those of one turn of the event loop, then those that came
 * while others were under way. Where too many wait it rejects with `Unavailable`. `send` gives a result
 * for each item, in their order. Where it rejects, each half is sent by itself, and so on, so that one
 * fails alone; but with `Unavailable` all that wait reject, so that none waits for as long again.
 */
export function coalesce<T, R>(
  room: BatchLimits,
  send: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  const waiting: Waiting<T, R>[] = [];
  let halves: Waiting<T, R>[][] = [];
  let working = false;

  const sendBatch = async (batch: Waiting<T, R>[]): Promise<void> => {
    try {
      const items = batch.map(({ item }) => item);
      const calls = batch.map(({ call }) => call);
      const results = await runForCalls(calls, () => send(items));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      const half = Math.ceil(batch.length / 2);
      if (error instanceof Unavailable) {
        for (const { reject } of [...batch, ...halves.flat(), ...waiting.splice(0)]) reject(error);
        halves = [];
      } else if (batch.length > 1) halves.unshift(batch.slice(0, half), batch.slice(half));
      else batch[0]?.reject(error);
    }
  };
  const work = async () => {
    for (;;) {
      const batch = halves.shift() ?? waiting.splice(0, room.maxBatch);
      if (batch.length === 0) break;
      await sendBatch(batch);
    }
    working = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= room.maxWaiting) return reject(new Unavailable(busy));
      waiting.push({ item, call: captureContext(), resolve, reject });
      if (!working) setImmediate(work);
      working = true;
    });
}
