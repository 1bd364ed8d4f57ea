// Rate limits with fixed windows, and the headers of draft-ietf-httpapi-ratelimit-headers-10. Each process counts for
// itself; only a gateway can enforce a limit across processes.
//
// Not @fastify/rate-limit, whose headers are of an older draft.
import type { FastifyReply, FastifyRequest } from "fastify";
import { formatSeconds, HttpError } from "./errors.ts";

const maxClients = 100_000; // bounds the memory if an attacker changes addresses

/** A rate limit: at most `count` attempts in `seconds`. */
export interface RateLimit {
  readonly count: number;
  readonly seconds: number;
}

interface Window {
  used: number;
  readonly end: number; // milliseconds of the clock
}

/** The result of an attempt. */
export interface RateLimitResult {
  /** The RateLimit headers of the response; empty if the attempt is rejected, because the error has them. */
  readonly headers: Record<string, string>;
  /** The error with status 429, if the client has no attempts left. */
  readonly error?: HttpError;
}

/** The options of a rate limiter. */
export interface RateLimiterOptions {
  /** The name of the policy in the RateLimit headers. */
  readonly policy: string;
  readonly limit: RateLimit;
  /** The client and its attempts, as the message of a 429 names them: "This API key" and "requests". */
  readonly subject: string;
  readonly attempts: string;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
}

/** Counts the attempts of each client in a window that begins with the client's first attempt. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #clock: () => number;
  // By client. Sorted by end, because all windows have the same length and a new one is appended.
  readonly #windows = new Map<string, Window>();

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Counts an attempt of the client. */
  take(client: string): RateLimitResult {
    const now = this.#clock();
    const window = this.#find(client, now) ?? this.#open(client, now);
    if (window.used >= this.#options.limit.count) return { headers: {}, error: this.#reject(window, now) };
    window.used += 1;
    return { headers: this.#describe(window, now) };
  }

  #find(client: string, now: number): Window | undefined {
    const window = this.#windows.get(client);
    return window && window.end > now ? window : undefined;
  }

  #open(client: string, now: number): Window {
    this.#windows.delete(client);
    for (const [oldest, { end }] of this.#windows) {
      if (end > now && this.#windows.size < maxClients) break;
      this.#windows.delete(oldest);
    }
    const window = { used: 0, end: now + this.#options.limit.seconds * 1_000 };
    this.#windows.set(client, window);
    return window;
  }

  #describe({ used, end }: Window, now: number): Record<string, string> {
    const { policy, limit } = this.#options;
    return {
      "ratelimit-policy": `"${policy}";q=${limit.count};w=${limit.seconds}`,
      ratelimit: `"${policy}";r=${limit.count - used};t=${secondsUntil(end, now)}`,
    };
  }

  #reject(window: Window, now: number): HttpError {
    const { subject, attempts, limit } = this.#options;
    const wait = secondsUntil(window.end, now);
    return new HttpError(
      "too_many_requests",
      `${subject} exceeds the limit of ${limit.count} ${attempts} per ${formatSeconds(limit.seconds)}. Try again in ${formatSeconds(wait)}.`,
      { ...this.#describe(window, now), "retry-after": `${wait}` },
    );
  }
}

/**
 * Creates a guard that counts each request as an attempt of its client, and throws an HttpError with status 429 if the
 * client has no attempts left. Does not limit requests without a client.
 */
export function limitRate(limiter: RateLimiter, clientOf: (request: FastifyRequest) => string | undefined) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const client = clientOf(request);
    if (client === undefined) return;
    const { headers, error } = limiter.take(client);
    if (error) throw error;
    reply.headers(headers);
  };
}

function secondsUntil(end: number, now: number): number {
  return Math.ceil((end - now) / 1_000);
}
