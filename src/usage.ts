// What keys are used for, written to the store in batches: no request waits for it.
import type { FastifyInstance } from "fastify";
import type { Caller } from "./contract.ts";
import { countedDays, toDay } from "./deprecations.ts";
import type { Store } from "./store/store.ts";

const flushEvery = 1_000; // milliseconds

/** Notes what keys are used for. */
export interface Usage {
  /** The caller's key was used. */
  used(caller: Caller): void;
  /** The caller, if there is one, called a deprecated operation. */
  calledDeprecated(operation: string, caller: Caller | undefined): void;
}

/** Notes it for as long as `app` lives, and writes it to `store` each second, and at the end. */
export function recordUsage(app: FastifyInstance, { keys, deprecated }: Pick<Store, "keys" | "deprecated">): Usage {
  let uses = new Map<bigint, Date>();
  let calls = new Map<string, Map<string, number>>(); // by operation, then by key

  const add = (operation: string, key: string, count: number) => {
    const keys = calls.get(operation) ?? new Map<string, number>();
    calls.set(operation, keys.set(key, count + (keys.get(key) ?? 0)));
  };
  const flushUses = async () => {
    if (uses.size === 0) return;
    const batch = uses;
    uses = new Map();
    await keys.touch(batch).catch((error) => app.log.warn({ err: error }, "the last use of keys was not noted"));
  };
  const flushCalls = async () => {
    if (calls.size === 0) return;
    const day = toDay(Date.now());
    const batch = [...calls].flatMap(([operation, keys]) =>
      [...keys].map(([key, count]) => ({ operation, key, day, count: BigInt(count) })),
    );
    calls = new Map();
    await deprecated.add(batch, day - countedDays + 1n).catch((error) => {
      // With the next ones. Where only the answer was lost they count twice: better than not at all.
      for (const { operation, key, count } of batch) add(operation, key, Number(count));
      app.log.warn({ err: error }, "calls of deprecated operations are not noted yet");
    });
  };
  const flush = () => Promise.all([flushUses(), flushCalls()]);
  const timer = setInterval(flush, flushEvery).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await flush();
  });
  return {
    used: ({ id }) => uses.set(id, new Date()),
    calledDeprecated: (operation, caller) => add(operation, caller?.name ?? "", 1),
  };
}
