// Counts the requests of all machines in a Valkey or Redis server, in the same token buckets as TokenBuckets.
import { createClient, defineScript } from "@redis/client";
import type { RateLimit } from "../http/index.ts";
import type { SharedCounter } from "./shared-counter.ts";

// With the time of the server, because the clocks of the machines differ.
const takeScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local time = redis.call('TIME')
    local now = time[1] + time[2] / 1000000
    local count, seconds = tonumber(ARGV[1]), tonumber(ARGV[2])
    local used, at = string.match(redis.call('GET', KEYS[1]) or '', '(%S+) (%S+)')
    used = used and math.max(0, used - (now - at) * count / seconds) or 0
    local allowed = used + 1 <= count + 0.000001
    if allowed then used = used + 1 end
    redis.call('SET', KEYS[1], string.format('%.6f %.6f', used, now), 'EX', seconds)
    return { allowed and 1 or 0, string.format('%.6f', used) }`,
  parseCommand(parser, key: string, { count, seconds }: RateLimit) {
    parser.pushKey(key);
    parser.push(`${count}`, `${seconds}`);
  },
  transformReply: (reply: unknown) => {
    const [allowed, used] = reply as [number, string];
    return { allowed: allowed === 1, used: Number(used) };
  },
});

/** A counter that is connected to a server. */
export interface ValkeyCounter extends SharedCounter {
  close(): void;
}

/**
 * Connects to the server at `url`, now and after each failure. Its calls reject while it is not reachable. `onError` receives
 * the errors of the connection.
 */
export function connectToValkey(url: string, limit: RateLimit, onError: (error: unknown) => void): ValkeyCounter {
  const client = createClient({
    url,
    scripts: { take: takeScript },
    disableOfflineQueue: true, // otherwise, requests would wait for the next connection
    socket: { connectTimeout: 1_000, reconnectStrategy: (attempts) => Math.min(100 * 2 ** attempts, 2_000) },
  });
  client.on("error", onError);
  client.connect().catch(onError);
  return {
    take: (key) => client.take(`petstore:calls:${key}`, limit),
    close: () => client.destroy(),
  };
}
