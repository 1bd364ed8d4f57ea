// Tracks the use of API keys and the calls of deprecated operations. Writes the times of use to the store in batches, so
// that no request waits for the write.
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from "fastify";
import { getOrAdd } from "../../lib/index.ts";
import type { Guard, Operation } from "../../openapi/index.ts";
import type { KeyStore } from "../../store/index.ts";
import { type Caller, callerOf } from "./api-keys.ts";

const flushInterval = 1_000; // milliseconds

/** The use of keys since the last `drain`, by their names. */
export interface KeyActivity {
  /** The keys that were used. */
  readonly keys: readonly string[];
  /** Calls of deprecated operations. The name of the key is empty for calls without one. */
  readonly deprecated: readonly (readonly [operation: string, key: string, count: number])[];
}

/** Keeps the use of keys in memory until it is flushed to the store and drained by the metrics. */
export class KeyUsage {
  readonly #keys: Pick<KeyStore, "touch">;
  readonly #log: FastifyBaseLogger;
  #uses = new Map<string, { readonly id: bigint; readonly at: number }>(); // by the name of the key; not flushed yet
  #active = new Set<string>();
  #deprecated = new Map<string, Map<string, number>>(); // by operation, then by the name of the key
  #flushing: Promise<unknown> | undefined;

  constructor(keys: Pick<KeyStore, "touch">, log: FastifyBaseLogger) {
    this.#keys = keys;
    this.#log = log;
  }

  /** Records that a request used the caller's key. */
  readonly recordUse = ({ id, name }: Caller): void => {
    this.#uses.set(name, { id, at: Date.now() }); // of the latest key: a revoked one can have the same name
    this.#active.add(name);
  };

  /** A guard that counts calls of deprecated operations. */
  readonly countDeprecated: Guard = (request: FastifyRequest, _, { id, deprecation }: Operation): void => {
    if (!deprecation) return;
    const counts = getOrAdd(this.#deprecated, id, () => new Map<string, number>());
    const key = callerOf(request)?.name ?? "";
    counts.set(key, 1 + (counts.get(key) ?? 0));
  };

  /** Returns the use of keys since the previous `drain`. */
  drain(): KeyActivity {
    const deprecated = [...this.#deprecated].flatMap(([operation, counts]) =>
      [...counts].map(([key, count]) => [operation, key, count] as const),
    );
    const keys = [...this.#active];
    this.#active = new Set();
    this.#deprecated = new Map();
    return { keys, deprecated };
  }

  /** Writes the times of use to the store. Only one flush runs at a time. */
  async flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const batch = new Map([...this.#uses.values()].map(({ id, at }) => [id, new Date(at)]));
    this.#uses = new Map();
    await this.#keys.touch(batch).catch((error) => {
      this.#log.warn({ err: error }, "failed to write the last use of API keys");
    });
  }
}

/** Tracks the use of keys until `app` closes. Flushes every second, and when `app` closes. */
export function trackKeyUsage(
  app: FastifyInstance,
  keys: Pick<KeyStore, "touch"> = { touch: async () => {} },
): KeyUsage {
  const usage = new KeyUsage(keys, app.log);
  const timer = setInterval(() => usage.flush(), flushInterval).unref();
  app.addHook("onClose", async () => {
    clearInterval(timer);
    // The first call may only join a flush in progress. The second call writes what that flush did not include.
    await usage.flush();
    await usage.flush();
  });
  return usage;
}
