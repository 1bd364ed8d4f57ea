// How often a caller may do something in a period, counted in this process: over several, or several
// machines, the gateway in front is the place. The header fields are those of
// draft-ietf-httpapi-ratelimit-headers-10.
import { isIPv4, isIPv6 } from "node:net";
import type { Limit } from "../config.ts";
import { HttpError } from "./errors.ts";

const mostNames = 100_000; // that are remembered: who comes under ever new names takes no more memory

interface Period {
  used: number;
  readonly ends: number; // milliseconds, by a clock that nobody sets
}

/** A quota, and how much of it each name has used. */
export interface RateLimiter {
  /** Counts one for `name`, as long as some is left. Gives the headers that say how much there is, and the refusal where there was none. */
  take(name: string): { readonly headers: Record<string, string>; readonly refusal?: HttpError };
  /** The refusal where nothing is left for the name that `of` gives. It is not asked while nobody has used any. */
  exhausted(of: () => string): HttpError | undefined;
}

/**
 * Builds a rate limiter named `policy`. `words` begins the message of a 429, such as "This key has made". `clock`
 * returns milliseconds of a monotonic clock.
 */
export function createRateLimiter(
  policy: string,
  { count, seconds }: Limit,
  words: string,
  clock = () => performance.now(),
): RateLimiter {
  // In the order in which they end, since all are of one length and a new one comes last.
  const periods = new Map<string, Period>();
  const fixed = { "ratelimit-policy": `"${policy}";q=${count};w=${seconds}` };

  const find = (name: string, now: number): Period | undefined => {
    const period = periods.get(name);
    return period && period.ends > now ? period : undefined;
  };
  const begin = (name: string, now: number): Period => {
    periods.delete(name);
    for (const [oldest, { ends }] of periods) {
      if (ends > now && periods.size < mostNames) break;
      periods.delete(oldest);
    }
    const period = { used: 0, ends: now + seconds * 1_000 };
    periods.set(name, period);
    return period;
  };
  const describe = ({ used, ends }: Period, now: number) => {
    const wait = Math.ceil((ends - now) / 1_000);
    return { wait, headers: { ...fixed, ratelimit: `"${policy}";r=${count - used};t=${wait}` } };
  };
  const refuse = (period: Period, now: number): HttpError => {
    const { wait, headers } = describe(period, now);
    const message = `${words} in ${seconds} seconds: at most ${count}. Try again in ${wait} seconds.`;
    return new HttpError("too_many_requests", message, { ...headers, "retry-after": `${wait}` });
  };

  return {
    take(name) {
      const now = clock();
      const period = find(name, now) ?? begin(name, now);
      if (period.used >= count) return { headers: {}, refusal: refuse(period, now) };
      period.used += 1;
      return { headers: describe(period, now).headers };
    },
    exhausted(of) {
      if (periods.size === 0) return undefined;
      const now = clock();
      const period = find(of(), now);
      return period && period.used >= count ? refuse(period, now) : undefined;
    },
  };
}

/** The network that an address stands for: of IPv6 the 64 bits that one site has, else itself. */
export function toNetwork(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIPv4(address)) return mapped ?? address;
  if (!isIPv6(address)) return "unknown"; // a proxy hands on what a client made up
  const [left = "", right] = address.split("::");
  const groups = left === "" ? [] : left.split(":");
  const rest = right === undefined || right === "" ? [] : right.split(":");
  const all = right === undefined ? groups : [...groups, ...Array(8 - groups.length - rest.length).fill("0"), ...rest];
  return `${all.slice(0, 4).join(":")}::/64`;
}
