// Rate limits: requests per API key, and failed authentications per network address.
import type { Config } from "../config.ts";
import { limitRate, RateLimiter } from "../http/index.ts";
import type { Guard } from "../openapi/index.ts";
import { callerOf } from "./authentication.ts";

/** Returns milliseconds of a monotonic clock. By default, `performance.now()`. */
type Clock = (() => number) | undefined;

/** Returns the guard that limits the requests of each key. Returns none if the limit is null. */
export function limitKeyRate(limit: Config["RATE_LIMIT"], clock: Clock): Guard[] {
  if (limit === null) return [];
  const limiter = new RateLimiter({ policy: "calls", limit, subject: "This API key", attempts: "requests", clock });
  return [limitRate(limiter, (request) => callerOf(request)?.id.toString())];
}

/** Creates the limiter of failed attempts to authenticate. */
export function createFailureLimiter(limit: Config["RATE_LIMIT_FAILED"], clock: Clock): RateLimiter {
  const message = { subject: "This network address", attempts: "failed authentications" };
  return new RateLimiter({ policy: "failed-credentials", limit, ...message, clock });
}
