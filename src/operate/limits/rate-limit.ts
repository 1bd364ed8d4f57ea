// Rate limits, and the headers of draft-ietf-httpapi-ratelimit-headers-10.
//
// Not @fastify/rate-limit, whose headers are of an older draft, and whose fixed windows reject all requests of a client
// for the rest of a window.
import type { FastifyReply, FastifyRequest } from "fastify";
import { formatSeconds, HttpError } from "../../http/index.ts";
import { andThen, type MaybePromise } from "../../lib/index.ts";
import { type AttemptCounter, type BucketState, type RateLimit, tolerance } from "./token-bucket.ts";

/** The result of an attempt. */
export interface RateLimitResult {
  /** The RateLimit headers of the response; empty if the attempt is rejected, because the error has them. */
  readonly headers: Record<string, string>;
  /** The error with status 429, if the client has no attempts left. */
  readonly error?: HttpError;
}

export interface RateLimiterOptions {
  /** The name of the policy in the RateLimit headers. */
  readonly policy: string;
  readonly limit: RateLimit;
  /** The client and its attempts, as the message of a 429 names them: "This API key" and "requests". */
  readonly subject: string;
  readonly attempts: string;
  /** Counts the attempts. */
  readonly counter: AttemptCounter;
}

/** Limits the attempts of each client. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Counts an attempt of the client. */
  take(client: string): MaybePromise<RateLimitResult> {
    return andThen(this.#options.counter.take(client), (state) => this.#describe(state));
  }

  #describe(state: BucketState): RateLimitResult {
    const { policy, limit } = this.#options;
    const { count, seconds } = limit;
    const left = Math.max(0, Math.floor(count - state.used + tolerance));
    const headers = {
      "ratelimit-policy": `"${policy}";q=${count};w=${seconds}`,
      // `t` is the time until the client has its whole limit again.
      ratelimit: `"${policy}";r=${left};t=${secondsFor(state.used, limit)}`,
    };
    return state.allowed ? { headers } : { headers: {}, error: this.#reject(state, headers) };
  }

  #reject({ used }: BucketState, headers: Record<string, string>): HttpError {
    const { subject, attempts, limit } = this.#options;
    const wait = Math.max(1, secondsFor(used + 1 - limit.count, limit));
    const rule = `the limit of ${limit.count} ${attempts} per ${formatSeconds(limit.seconds)}`;
    return new HttpError("too_many_requests", `${subject} exceeds ${rule}. Try again in ${formatSeconds(wait)}.`, {
      ...headers,
      "retry-after": `${wait}`,
    });
  }
}

/** Returns the seconds in which a client gets back a number of attempts. */
function secondsFor(attempts: number, { count, seconds }: RateLimit): number {
  return Math.ceil((attempts * seconds) / count - tolerance);
}

/**
 * Creates a guard that counts each request as an attempt of its clients, and rejects with an HttpError with status 429 if one of them
 * has no attempts left. A request has several clients if its operation requires several credentials.
 */
export function limitRate(limiter: RateLimiter, clientsOf: (request: FastifyRequest) => readonly string[]) {
  const apply = (reply: FastifyReply, { headers, error }: RateLimitResult): void => {
    if (error) throw error;
    reply.headers(headers);
  };
  const take = (reply: FastifyReply, [client, ...others]: readonly string[]): MaybePromise<void> => {
    if (client === undefined) return;
    const taken = andThen(limiter.take(client), (result) => apply(reply, result));
    return others.length === 0 ? taken : andThen(taken, () => take(reply, others));
  };
  return (request: FastifyRequest, reply: FastifyReply): MaybePromise<void> => take(reply, clientsOf(request));
}
