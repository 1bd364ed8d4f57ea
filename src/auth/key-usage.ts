// What keys are used for, written to the store in batches: no request waits for it.
import type { FastifyInstance } from "fastify";
import { toDay } from "../lib/index.ts";
import type { Caller } from "../spec/index.ts";
import { retentionDays } from "../status/index.ts";
import type { DailyCalls, Store } from "../store/index.ts";

const flushEvery = 1_000; // milliseconds

/** How often what was called, since somebody asked last. */
export interface CallCounts {
  /** By the name of the key. */
  readonly keys: ReadonlyMap<string, number>;
  /** Of deprecated operations: by operation, then by the name of the key, which is empty where none was sent. */
  readonly deprecated: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Notes what keys are used for. */
export interface KeyUsage {
  /** The caller's key was used. */
  recordUse(caller: Caller): void;
  /** The caller, if there is one, called a deprecated operation. */
  recordDeprecatedCall(operation: string, caller: Caller | undefined): void;
  /** Gives the calls that were not given yet. */
  drainCalls(): CallCounts;
}

type Counted = Map<string, Map<string, number>>; // by operation, then by key

interface Use {
  readonly name: string;
  at: number; // milliseconds since 1970
  calls: number; // that were not given yet
}

/** Notes it for as long as `app` lives, and writes it to `store` each second, and at the end. */
export function trackKeyUsage(
  app: FastifyInstance,
  { keys, deprecated }: Pick<Store, "keys" | "deprecated">,
): KeyUsage {
  let uses = new Map<bigint, Use>();
  let keyed = new Map<string, number>(); // of uses that the store has
  let calls: Counted = new Map(); // for both, the store and who asks here
  let unwritten = new Map<string, DailyCalls>();
  let ungiven: Counted = new Map();

  const note = (one: DailyCalls) => {
    const name = `${one.day} ${one.operation} ${one.key}`;
    unwritten.set(name, { ...one, count: one.count + (unwritten.get(name)?.count ?? 0n) });
  };
  const settle = () => {
    const day = toDay(Date.now());
    for (const [operation, keys] of calls)
      for (const [key, count] of keys) {
        add(ungiven, operation, key, count);
        note({ operation, key, day, count: BigInt(count) });
      }
    calls = new Map();
  };
  const giveKeys = () => {
    for (const use of uses.values()) {
      keyed.set(use.name, use.calls + (keyed.get(use.name) ?? 0));
      use.calls = 0;
    }
  };
  const flushUses = async () => {
    if (uses.size === 0) return;
    giveKeys();
    const batch = new Map([...uses].map(([id, { at }]) => [id, new Date(at)]));
    uses = new Map();
    await keys.touch(batch).catch((error) => app.log.warn({ err: error }, "the last use of keys was not noted"));
  };
  const flushCalls = async () => {
    settle();
    if (unwritten.size === 0) return;
    const batch = [...unwritten.values()];
    unwritten = new Map();
    await deprecated.add(batch, toDay(Date.now()) - retentionDays + 1n).catch((error) => {
      // With the next ones. Where only the answer was lost they count twice: better than not at all.
      for (const one of batch) note(one);
      app.log.warn({ err: error }, "calls of deprecated operations are not noted yet");
    });
  };
  // One after the other, and at the end what the one before could not write.
  let flushing: Promise<unknown> | undefined;
  const flush = async () => {
    flushing ??= Promise.all([flushUses(), flushCalls()]).finally(() => {
      flushing = undefined;
    });
    await flushing;
  };
  const timer = setInterval(flush, flushEvery).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    await flushing;
    await flush();
  });
  return {
    recordUse({ id, name }) {
      const use = uses.get(id);
      if (use === undefined) uses.set(id, { name, at: Date.now(), calls: 1 });
      else {
        use.at = Date.now();
        use.calls += 1;
      }
    },
    recordDeprecatedCall: (operation, caller) => add(calls, operation, caller?.name ?? "", 1),
    drainCalls() {
      settle();
      giveKeys();
      const taken = { keys: keyed, deprecated: ungiven };
      keyed = new Map();
      ungiven = new Map();
      return taken;
    },
  };
}

function add(all: Counted, operation: string, key: string, count: number): void {
  const keys = all.get(operation) ?? new Map<string, number>();
  all.set(operation, keys.set(key, count + (keys.get(key) ?? 0)));
}
