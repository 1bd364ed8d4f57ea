// Counts the requests of all machines in a Valkey or Redis server, in the same token buckets as TokenBuckets.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, defineScript } from "@redis/client";
import type { Attempts, SharedCounter } from "./shared-counter.ts";
import type { BucketState, RateLimit } from "./token-bucket.ts";

const closeTimeout = 500; // milliseconds
const registrationInterval = 2_000; // milliseconds
const registrationAge = 15; // seconds after which a process does not exist any more
// All keys are in one slot of a cluster, because a script reads two of them.
const prefix = "{openapi-server}";
const processesKey = `${prefix}:processes`;

// With the time of the server, because the clocks of the machines differ.
const readAndWriteBuckets = `
    local time = redis.call('TIME')
    local now = time[1] + time[2] / 1000000
    local count, seconds = tonumber(ARGV[1]), tonumber(ARGV[2])
    local function read(key)
      local used, at = string.match(redis.call('GET', key) or '', '(%S+) (%S+)')
      return used and math.max(0, used - (now - at) * count / seconds) or 0
    end
    local function write(key, used)
      local age = math.ceil(seconds * math.max(1, used / count))
      redis.call('SET', key, string.format('%.6f %.6f', used, now), 'EX', age)
    end`;

const keyOfBucket = (client: string) => `${prefix}:calls:${client}`;

// Counts an attempt, if it is allowed.
const takeScript = defineScript({
  NUMBER_OF_KEYS: 2,
  SCRIPT: `${readAndWriteBuckets}
    local used = read(KEYS[1])
    local allowed = used + 1 <= count + 0.000001
    if allowed then used = used + 1 end
    write(KEYS[1], used)
    return { allowed and 1 or 0, string.format('%.6f', used), redis.call('ZCARD', KEYS[2]) }`,
  parseCommand(parser, client: string, { count, seconds }: RateLimit) {
    parser.pushKey(keyOfBucket(client));
    parser.pushKey(processesKey);
    parser.push(`${count}`, `${seconds}`);
  },
  transformReply: (reply: unknown) => {
    const [allowed, used, processes] = reply as [number, string, number];
    return { allowed: allowed === 1, used: Number(used), processes };
  },
});

// Counts attempts that were allowed already. Reads all before it writes, because a script that fails keeps what it has written.
const addScript = defineScript({
  SCRIPT: `${readAndWriteBuckets}
    local sums = {}
    for n, key in ipairs(KEYS) do sums[n] = math.max(0, read(key) + ARGV[n + 2]) end
    for n, key in ipairs(KEYS) do write(key, sums[n]) end`,
  parseCommand(parser, attempts: Attempts, { count, seconds }: RateLimit) {
    parser.push(`${attempts.size}`);
    parser.pushKeys([...attempts.keys()].map(keyOfBucket));
    parser.push(`${count}`, `${seconds}`, ...[...attempts.values()].map(String));
  },
  transformReply: () => undefined,
});

// Registers a process, and removes those that have not done so in the last 15 s. Returns their number.
const registerScript = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
    local now = redis.call('TIME')[1]
    redis.call('ZADD', KEYS[1], now, ARGV[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
    redis.call('EXPIRE', KEYS[1], ARGV[2])
    return redis.call('ZCARD', KEYS[1])`,
  parseCommand(parser, id: string) {
    parser.pushKey(processesKey);
    parser.push(id, `${registrationAge}`);
  },
  transformReply: (reply: unknown) => Number(reply),
});

function createValkeyClient(url: string) {
  return createClient({
    url,
    scripts: { take: takeScript, add: addScript, register: registerScript },
    disableOfflineQueue: true, // otherwise, requests would wait for the next connection
    pingInterval: 2_000,
    socket: {
      connectTimeout: 1_000,
      socketTimeout: 5_000, // a server that does not answer the pings is gone, also if the network reports nothing
      reconnectStrategy: (attempts) => Math.min(100 * 2 ** attempts, 2_000),
    },
  });
}

/** A counter that is connected to a server. */
export class ValkeyCounter implements SharedCounter {
  readonly #client: ReturnType<typeof createValkeyClient>;
  readonly #limit: RateLimit;
  readonly #id = randomUUID();
  readonly #timer: NodeJS.Timeout;
  #processes: number;
  /** Settles when the first attempt to register has ended. */
  readonly connected: Promise<void>;

  /**
   * Connects to the server at `url`, now and after each failure. `processes` is the number of processes until the server
   * knows it. `onError` receives the errors of the connection.
   */
  constructor(url: string, limit: RateLimit, processes: number, onError: (error: unknown) => void) {
    this.#limit = limit;
    this.#processes = processes;
    this.#client = createValkeyClient(url);
    this.#client.on("error", onError);
    this.connected = this.#client.connect().then(this.#register, onError);
    this.#timer = setInterval(this.#register, registrationInterval).unref();
  }

  get processes(): number {
    return this.#processes;
  }

  async take(client: string): Promise<BucketState> {
    const { processes, ...state } = await this.#client.take(client, this.#limit);
    this.#processes = Math.max(1, processes);
    return state;
  }

  add(attempts: Attempts): Promise<unknown> {
    return this.#client.add(attempts, this.#limit);
  }

  close(): void {
    clearInterval(this.#timer);
    const end = () => this.#client.destroy();
    const removed = this.#client.zRem(processesKey, this.#id);
    Promise.race([removed, sleep(closeTimeout, undefined, { ref: false })]).then(end, end);
  }

  readonly #register = async (): Promise<void> => {
    this.#processes = await this.#client.register(this.#id).catch(() => this.#processes); // `onError` receives the cause
  };
}
