// Whose request is this: finds the API key that a request has sent (RFC 6750, section 2.1). Load shedding asks before a
// request waits for its turn, and authentication asks before it is handled.
import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { splitAuthorization } from "../http/index.ts";
import { andThen, type MaybePromise } from "../lib/index.ts";
import type { Key, KeyStore } from "../store/index.ts";

const maxAge = 5; // milliseconds after which a revocation takes effect

/** The key that a request has sent, or why it has none that is valid. */
export type Identity =
  | { readonly key: Key /** The hash of the key. */; readonly client: string }
  | { readonly reason: "missing" | "not valid" | "expired"; readonly client?: undefined };

/** Returns whose request it is. Records it for the connection. Rejects like the store. */
export type Identify = (request: FastifyRequest) => MaybePromise<Identity>;

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined until `Identify` has found it. */
    identity: Identity | undefined;
  }
}

/**
 * Creates the function that identifies requests. A key that is not valid is not looked up again for the same request,
 * which may have waited for its turn.
 */
export function createIdentify(keys: Pick<KeyStore, "find">): Identify {
  const cache = new KeyCache(keys);
  return (request) => {
    if (request.identity !== undefined && "reason" in request.identity) return request.identity;
    return andThen(cache.find(request.headers.authorization), (found) => {
      const identity = toIdentity(found);
      const { server, raw } = request;
      if ("key" in identity) server.identifyConnection(raw.socket, identity.client);
      else if (found) server.anonymizeClient(found.hash);
      request.identity = identity;
      return identity;
    });
  };
}

function toIdentity(found: FoundKey | undefined): Identity {
  if (found === undefined) return { reason: "missing" };
  if (found.key === undefined) return { reason: "not valid" };
  return hasExpired(found.key) ? { reason: "expired" } : { key: found.key, client: found.hash };
}

function hasExpired({ expiresAt }: Key): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= Date.now();
}

interface FoundKey {
  readonly hash: string;
  /** Undefined if there is no such key. */
  readonly key: Key | undefined;
}

/** The keys of the last 5 ms: under load, most requests are identified without the store. Unknown keys are not cached. */
export class KeyCache {
  readonly #keys: Pick<KeyStore, "find">;
  readonly #clock: () => number;
  #expiresAt = Number.NEGATIVE_INFINITY;
  // By the header Authorization, so that a key is hashed once. Replaced when it expires, so that a lookup that takes longer
  // stores its result in a map that is not used any more. The number of requests within 5 ms limits its size.
  #found = new Map<string, FoundKey>();

  /** `clock` returns milliseconds of a monotonic clock. */
  constructor(keys: Pick<KeyStore, "find">, clock = () => performance.now()) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /**
   * Finds the key in a header, in the cache or else in the store, also if it has expired. Returns undefined if the header
   * contains none. Rejects like the store.
   */
  find(authorization = ""): MaybePromise<FoundKey | undefined> {
    const now = this.#clock();
    if (now >= this.#expiresAt) {
      this.#found = new Map();
      this.#expiresAt = now + maxAge;
    }
    return this.#found.get(authorization) ?? this.#findInStore(authorization);
  }

  async #findInStore(authorization: string): Promise<FoundKey | undefined> {
    const found = this.#found;
    const hash = hashSentKey(authorization);
    if (hash === undefined) return undefined;
    const result = { hash, key: await this.#keys.find(hash) };
    if (result.key !== undefined) found.set(authorization, result);
    return result;
  }
}

/**
 * Returns the hash of the key in the header Authorization; undefined if it contains none. A malformed credential, such as one
 * behind a tab, is a key that is not valid.
 */
export function hashSentKey(authorization = ""): string | undefined {
  const [scheme, rest] = splitAuthorization(authorization);
  if (scheme !== "bearer" || rest === "") return undefined;
  return hashKey(rest.startsWith(" ") ? rest.trimStart() : authorization);
}

/** Returns the hash of a key (SHA-256, hexadecimal), by which the store knows it. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}
