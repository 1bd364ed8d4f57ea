// Rate limits: requests per API key, and failed authentications per network address.
import cluster from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { type MetricsRegistry, throttle } from "../../lib/index.ts";
import { type Guard, identitiesOf } from "../../openapi/index.ts";
import type { Key } from "../../store/index.ts";
import { connectToPrimaryCounter } from "./primary-counter.ts";
import { limitRate, RateLimiter } from "./rate-limit.ts";
import { FallbackCounter, type SharedCounter } from "./shared-counter.ts";
import { type AttemptCounter, type RateLimit, TokenBuckets } from "./token-bucket.ts";

const connectTimeout = 1_000; // milliseconds for which the start waits for the shared counter

/** Returns milliseconds of a monotonic clock. By default, `performance.now()`. */
type Clock = (() => number) | undefined;

/** Counts the requests of API keys. */
export interface KeyCounter {
  readonly counter: AttemptCounter;
  /** Registers the metrics of the counter. */
  register(metrics: MetricsRegistry): void;
  close(): void;
}

export interface CounterOptions {
  readonly limit: RateLimit;
  /** The URL of a Valkey or Redis server that counts for several machines; empty for none. */
  readonly url: string;
  /** The number of processes of the service. */
  readonly workers: number;
  readonly log: FastifyBaseLogger;
  readonly clock?: Clock;
}

/**
 * Opens a counter: that of all machines if it has a URL, that of the primary in one of several workers, or else one of this process.
 * While the first two fail, which is logged, this process counts for itself.
 */
export async function openKeyCounter({ limit, url, workers, log, clock }: CounterOptions): Promise<KeyCounter> {
  const local = new TokenBuckets(limit, clock);
  const onError = throttle((err: unknown) => {
    log.warn({ err }, "failed to count requests with other processes: this process counts for itself");
  });
  const open = (shared: SharedCounter, close = () => {}): KeyCounter => {
    const counter = new FallbackCounter({ shared, local, onError });
    return { counter, register: (metrics) => registerLocalRequests(metrics, () => counter.counted), close };
  };
  if (url !== "") {
    const { ValkeyCounter } = await import("./valkey-counter.ts").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
      throw new Error(
        "Counting calls in Valkey or Redis needs the package @redis/client. Run npm install @redis/client.",
      );
    });
    const valkey = new ValkeyCounter(url, limit, workers, onError);
    await Promise.race([valkey.connected, sleep(connectTimeout)]); // so that the first requests are counted by it
    return open(valkey, () => valkey.close());
  }
  if (workers > 1 && cluster.isWorker) return open(connectToPrimaryCounter(workers));
  return { counter: local, register: (metrics) => registerLocalRequests(metrics, () => 0), close: () => {} };
}

function registerLocalRequests(metrics: MetricsRegistry, read: () => number): void {
  metrics.counter(
    "rate_limit_local_requests_total",
    "Requests that a process counted for itself, because the counter that the processes share did not respond.",
    read,
  );
}

/** Returns the guard that limits the requests of each key, and of each caller that a token names. `name` is that of the service. */
export function limitKeyRate(limit: RateLimit, { counter }: KeyCounter, name: string): Guard {
  const options = { limit, subject: "This API key", attempts: "requests" };
  const limiter = new RateLimiter({ policy: "calls", ...options, counter });
  return limitRate(limiter, ({ caller }) =>
    identitiesOf(caller).flatMap((one) => {
      if ("createdAt" in one) return nameForCounter(one as Key);
      return typeof one.id === "string" ? `${name} ${one.id}` : [];
    }),
  );
}

// Both secrets of a key whose grace period lasts have one limit. Services with other databases may share the counter, so the
// id is not enough.
function nameForCounter({ id, createdAt }: Key): string {
  return `${createdAt.getTime()}-${id}`;
}

/** Creates the limiter of failed attempts to authenticate. Each process counts for itself. */
export function createFailureLimiter(limit: RateLimit, clock: Clock): RateLimiter {
  const message = { subject: "This network address", attempts: "failed authentications" };
  return new RateLimiter({ policy: "failed-credentials", limit, ...message, counter: new TokenBuckets(limit, clock) });
}
