// Limits how often a client may do something. Counts in this process only: a gateway must enforce a limit across processes.
// The header fields are those of draft-ietf-httpapi-ratelimit-headers-10.
import { isIPv4, isIPv6 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { HttpError } from "./errors.ts";

const maxClients = 100_000; // bounds memory if clients use ever new names

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
  /** The RateLimit headers of the response. */
  readonly headers: Record<string, string>;
  /** The 429 response if nothing is left. */
  readonly error?: HttpError;
}

/** The options of a rate limiter. */
export interface RateLimiterOptions {
  /** The name of the policy in the RateLimit headers. */
  readonly policy: string;
  readonly limit: RateLimit;
  /** The beginning of the message of a 429, such as "This key has made too many calls". */
  readonly message: string;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
}

/** Allows each client `limit.count` attempts in a fixed window of `limit.seconds`. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #clock: () => number;
  // Sorted by end, because all windows have the same length and a new one is appended.
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

  /** Returns the 429 response if the client has no attempts left. `client` is not called while there are no clients. */
  exhausted(client: () => string): HttpError | undefined {
    if (this.#windows.size === 0) return undefined;
    const now = this.#clock();
    const window = this.#find(client(), now);
    return window && window.used >= this.#options.limit.count ? this.#reject(window, now) : undefined;
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
    const { message, limit } = this.#options;
    const wait = secondsUntil(window.end, now);
    return new HttpError(
      "too_many_requests",
      `${message} in ${limit.seconds} seconds: at most ${limit.count}. Try again in ${wait} seconds.`,
      { ...this.#describe(window, now), "retry-after": `${wait}` },
    );
  }
}

/** Creates a guard that applies the limiter to the client that `clientOf` returns, if any. */
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

/** Returns the network of an address: the /64 prefix of an IPv6 address, which one site owns, or an IPv4 address itself. */
export function toNetwork(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIPv4(address)) return mapped ?? address;
  if (!isIPv6(address)) return "unknown"; // a client can send any X-Forwarded-For
  const [left = "", right] = address.split("::");
  const groups = left === "" ? [] : left.split(":");
  const rest = right === undefined || right === "" ? [] : right.split(":");
  const all = right === undefined ? groups : [...groups, ...Array(8 - groups.length - rest.length).fill("0"), ...rest];
  return `${all.slice(0, 4).join(":")}::/64`;
}
