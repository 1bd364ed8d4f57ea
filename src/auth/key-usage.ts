// Tracks the use of API keys and the calls of deprecated operations. Writes them to the store in batches, so that no
// request waits for the write.
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { toDay } from "../lib/index.ts";
import type { Guard, Operation } from "../openapi/application.ts";
import { type DailyCalls, retentionDays, type Store } from "../store/index.ts";
import { type Caller, callerOf } from "./caller.ts";

const flushInterval = 1_000; // milliseconds

/** Calls since the last `drainCalls`. */
export interface CallCounts {
  /** By the name of the key. */
  readonly keys: ReadonlyMap<string, number>;
  /** Of deprecated operations: by operation, then by the name of the key, which is empty for calls without a key. */
  readonly deprecated: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

type CountsByKey = Map<string, Map<string, number>>; // by operation, then by key

interface Use {
  readonly id: bigint;
  lastUsed: number; // milliseconds since 1970
  calls: number; // not drained yet
}

/** Counts calls in memory until they are flushed to the store and drained by the metrics. */
export class KeyUsage {
  readonly #store: Pick<Store, "keys" | "deprecated">;
  readonly #log: FastifyBaseLogger;
  #uses = new Map<string, Use>(); // by the name of the key
  #drainableKeys = new Map<string, number>();
  #deprecatedCalls: CountsByKey = new Map(); // neither flushed nor drained
  #drainableDeprecated: CountsByKey = new Map();
  #unwritten = new Map<string, DailyCalls>();
  #flushing: Promise<unknown> | undefined;

  constructor(store: Pick<Store, "keys" | "deprecated">, log: FastifyBaseLogger) {
    this.#store = store;
    this.#log = log;
  }

  /** Records that a request used the caller's key. */
  readonly recordUse = ({ id, name }: Caller): void => {
    let use = this.#uses.get(name);
    if (use?.id !== id) {
      use = { id, lastUsed: 0, calls: use?.calls ?? 0 }; // a revoked key has the same name
      this.#uses.set(name, use);
    }
    use.lastUsed = Date.now();
    use.calls += 1;
  };

  /** A guard that counts calls of deprecated operations. */
  readonly countDeprecated: Guard = (request: FastifyRequest, _, { id, deprecation }: Operation): void => {
    if (deprecation) increment(this.#deprecatedCalls, id, callerOf(request)?.name ?? "", 1);
  };

  /** Returns the calls since the previous `drainCalls`. */
  drainCalls(): CallCounts {
    this.#moveDeprecatedCalls();
    this.#moveKeyCalls();
    const drained = { keys: this.#drainableKeys, deprecated: this.#drainableDeprecated };
    this.#drainableKeys = new Map();
    this.#drainableDeprecated = new Map();
    return drained;
  }

  /** Writes all pending calls and times of use to the store. Only one flush runs at a time. */
  async flush(): Promise<void> {
    this.#flushing ??= Promise.all([this.#flushUses(), this.#flushDeprecatedCalls()]).finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  async #flushUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    this.#moveKeyCalls();
    const batch = new Map([...this.#uses.values()].map(({ id, lastUsed }) => [id, new Date(lastUsed)]));
    this.#uses = new Map();
    await this.#store.keys.touch(batch).catch((error) => {
      this.#log.warn({ err: error }, "failed to write the last use of API keys");
    });
  }

  async #flushDeprecatedCalls(): Promise<void> {
    this.#moveDeprecatedCalls();
    if (this.#unwritten.size === 0) return;
    const batch = [...this.#unwritten.values()];
    this.#unwritten = new Map();
    await this.#store.deprecated.add(batch, toDay(Date.now()) - retentionDays + 1n).catch((error) => {
      // Written with the next batch. If only the response was lost, these calls count twice, which is better than none.
      for (const calls of batch) this.#addUnwritten(calls);
      this.#log.warn({ err: error }, "failed to write calls of deprecated operations: will retry");
    });
  }

  #moveDeprecatedCalls(): void {
    const day = toDay(Date.now());
    for (const [operation, keys] of this.#deprecatedCalls)
      for (const [key, count] of keys) {
        increment(this.#drainableDeprecated, operation, key, count);
        this.#addUnwritten({ operation, key, day, count: BigInt(count) });
      }
    this.#deprecatedCalls = new Map();
  }

  #moveKeyCalls(): void {
    for (const [name, use] of this.#uses) {
      this.#drainableKeys.set(name, use.calls + (this.#drainableKeys.get(name) ?? 0));
      use.calls = 0;
    }
  }

  #addUnwritten(calls: DailyCalls): void {
    const id = `${calls.day} ${calls.operation} ${calls.key}`;
    this.#unwritten.set(id, { ...calls, count: calls.count + (this.#unwritten.get(id)?.count ?? 0n) });
  }
}

/** Tracks the use of keys until `app` closes. Flushes every second, and when `app` closes. */
export function trackKeyUsage(app: FastifyInstance, store: Pick<Store, "keys" | "deprecated">): KeyUsage {
  const usage = new KeyUsage(store, app.log);
  const timer = setInterval(() => usage.flush(), flushInterval).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    // The first call may only join a flush in progress. The second call writes what that flush did not include.
    await usage.flush();
    await usage.flush();
  });
  return usage;
}

function increment(counts: CountsByKey, operation: string, key: string, count: number): void {
  const keys = counts.get(operation) ?? new Map<string, number>();
  counts.set(operation, keys.set(key, count + (keys.get(key) ?? 0)));
}
