// Rate limits: requests per API key, and failed authentications per network address.
import cluster from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config.ts";
import { type MetricsRegistry, throttle } from "../lib/index.ts";
import type { Guard } from "../openapi/application.ts";
import type { Key } from "../store/index.ts";
import { connectToPrimaryCounter } from "./primary-counter.ts";
import { limitRate, RateLimiter } from "./rate-limit.ts";
import { FallbackCounter, type SharedCounter } from "./shared-counter.ts";
import { type AttemptCounter, type RateLimit, TokenBuckets } from "./token-bucket.ts";

const connectTimeout = 1_000; // milliseconds for which the start waits for RATE_LIMIT_STORE

/** Returns milliseconds of a monotonic clock. By default, `performance.now()`. */
type Clock = (() => number) | undefined;

/** Counts the requests of API keys. */
export interface KeyCounter {
  readonly counter: AttemptCounter;
  /** Registers the metrics of the counter. */
  register(metrics: MetricsRegistry): void;
  close(): void;
}

/**
 * Opens the counter of the settings: that of all machines if RATE_LIMIT_STORE is set, that of the primary in a worker, or else
 * one of this process. While the first two fail, which is logged, this process counts for itself.
 */
export async function openKeyCounter(
  { RATE_LIMIT_STORE: url, WORKERS: workers }: Pick<Config, "RATE_LIMIT_STORE" | "WORKERS">,
  limit: RateLimit,
  log: FastifyBaseLogger,
): Promise<KeyCounter> {
  const local = new TokenBuckets(limit);
  const onError = throttle((err: unknown) => {
    log.warn({ err }, "failed to count requests with other processes: this process counts for itself");
  });
  const open = (shared: SharedCounter, close = () => {}): KeyCounter => {
    const counter = new FallbackCounter({ shared, local, onError });
    return { counter, register: (metrics) => registerLocalRequests(metrics, () => counter.counted), close };
  };
  if (url !== "") {
    const { ValkeyCounter } = await import("./valkey-counter.ts"); // loaded only if it is used
    const valkey = new ValkeyCounter(url, limit, workers, onError);
    await Promise.race([valkey.connected, sleep(connectTimeout)]); // so that the first requests are counted by it
    return open(valkey, () => valkey.close());
  }
  if (cluster.isWorker) return open(connectToPrimaryCounter(workers));
  return { counter: local, register: (metrics) => registerLocalRequests(metrics, () => 0), close: () => {} };
}

function registerLocalRequests(metrics: MetricsRegistry, read: () => number): void {
  metrics.counter(
    "rate_limit_local_requests_total",
    "Requests that a process counted for itself, because the counter that the processes share did not respond.",
    read,
  );
}

/**
 * Returns the guard that limits the requests of each key. Returns none if the limit is null. Without a counter, this process
 * counts for itself, with `clock`.
 */
export function limitKeyRate(
  limit: RateLimit | null,
  { counter, clock }: { readonly counter?: AttemptCounter | undefined; readonly clock?: Clock },
): Guard[] {
  if (limit === null) return [];
  const options = { limit, subject: "This API key", attempts: "requests" };
  const limiter = new RateLimiter({ policy: "calls", ...options, counter: counter ?? new TokenBuckets(limit, clock) });
  return [
    limitRate(limiter, ({ identity }) => (identity && "key" in identity ? nameForCounter(identity.key) : undefined)),
  ];
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
