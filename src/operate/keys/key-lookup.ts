// Whose request is this: finds the API key that a request has sent (RFC 6750, section 2.1). Load shedding asks before a
// request waits for its turn, and authentication asks before it is handled.
import type { FastifyRequest } from "fastify";
import { splitAuthorization } from "../../http/index.ts";
import { andThen, getOrAdd, type MaybePromise } from "../../lib/index.ts";
import { hasCredential, isBearer, readCredential, type SecuritySchemeObject, typeOf } from "../../openapi/index.ts";
import type { Key, KeyStore } from "../../store/index.ts";
import { hashKey } from "./api-keys.ts";

const maxAge = 5; // milliseconds after which a revocation takes effect

/** The key that a request has sent, or why it has none that is valid. */
export type Identity =
  | { readonly key: Key /** The hash of the key. */; readonly client: string }
  | { readonly reason: "missing" | "not valid" | "expired"; readonly client?: undefined };

/** Returns whose request it is. Records it for the connection. Rejects like the store. */
export type Identify = (request: FastifyRequest) => MaybePromise<Identity>;

/** Finds the keys of requests. */
export interface Identification {
  /** By the first of the schemes for which a request has a credential. */
  readonly identify: Identify;
  /** Returns the function that identifies requests by their credential for one scheme. */
  by(scheme: SecuritySchemeObject): Identify;
}

/**
 * Creates the identification of requests by the schemes of a document that a key can satisfy. A key that is not valid is not looked up
 * again for the same request, which may have waited for its turn, and a credential that is a token of an issuer never.
 */
export function createIdentification(
  keys: Pick<KeyStore, "find">,
  schemes: readonly SecuritySchemeObject[],
  isToken?: (credential: string) => boolean,
): Identification {
  const known = new Map<string, Identify>();
  const by = (scheme: SecuritySchemeObject) => getOrAdd(known, placeOf(scheme), () => createIdentify(keys, scheme));
  const withoutTokens = (scheme: SecuritySchemeObject): Identify => {
    const identify = by(scheme);
    if (isToken === undefined || !isBearer(scheme)) return identify;
    return (request) => {
      const [, token] = splitAuthorization(request.headers.authorization);
      return isToken(token.trim()) ? { reason: "not valid" } : identify(request);
    };
  };
  const all = schemes.map((scheme) => ({ scheme, identify: withoutTokens(scheme) }));
  const [first, ...others] = all;
  if (first && others.length === 0) return { identify: first.identify, by };
  return {
    by,
    identify(request) {
      const sent = all.find(({ scheme }) => hasCredential(scheme, request));
      return sent?.identify(request) ?? { reason: "missing" };
    },
  };
}

// Where a credential is sent. Names of headers are not case-sensitive, and those of parameters and cookies are.
function placeOf(scheme: SecuritySchemeObject): string {
  const { type, in: location, name } = scheme;
  return type === "apiKey" && location !== "header" ? `${location} ${name}` : typeOf(scheme);
}

function createIdentify(keys: Pick<KeyStore, "find">, scheme: SecuritySchemeObject): Identify {
  const cache = new KeyCache(keys, scheme);
  const invalid = new WeakMap<FastifyRequest, Identity>(); // of requests without a valid key
  return (request) => {
    const known = invalid.get(request);
    if (known !== undefined) return known;
    return andThen(cache.find(request), (found) => {
      const identity = toIdentity(found);
      const { server, raw } = request;
      const { connections } = server.edge.protection ?? {};
      if ("key" in identity) connections?.identify(raw.socket, identity.client);
      else {
        if (found) connections?.anonymize(found.hash);
        invalid.set(request, identity);
      }
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
  readonly #scheme: SecuritySchemeObject;
  readonly #clock: () => number;
  #expiresAt = Number.NEGATIVE_INFINITY;
  // By the header Authorization or the API key, so that a key is hashed once. Replaced when it expires, so that a lookup that takes
  // longer stores its result in a map that is not used any more. The number of requests within 5 ms limits its size.
  #found = new Map<string, FoundKey>();

  /** `clock` returns milliseconds of a monotonic clock. */
  constructor(keys: Pick<KeyStore, "find">, scheme: SecuritySchemeObject, clock = () => performance.now()) {
    this.#keys = keys;
    this.#scheme = scheme;
    this.#clock = clock;
  }

  /**
   * Finds the key of a request, in the cache or else in the store, also if it has expired. Returns undefined if the request has no
   * credential for the scheme. Rejects like the store.
   */
  find(request: FastifyRequest): MaybePromise<FoundKey | undefined> {
    const now = this.#clock();
    if (now >= this.#expiresAt) {
      this.#found = new Map();
      this.#expiresAt = now + maxAge;
    }
    const isInHeader = this.#scheme.type !== "apiKey";
    const sent = isInHeader ? (request.headers.authorization ?? "") : readKey(this.#scheme, request);
    if (sent === undefined || sent === "") return undefined;
    return this.#found.get(sent) ?? this.#findInStore(sent, request);
  }

  async #findInStore(sent: string, request: FastifyRequest): Promise<FoundKey | undefined> {
    const found = this.#found;
    const key = readKey(this.#scheme, request);
    if (key === undefined) return undefined;
    const hash = hashKey(key);
    const result = { hash, key: await this.#keys.find(hash) };
    if (result.key !== undefined) found.set(sent, result);
    return result;
  }
}

/**
 * Returns the key of a request: the token, the API key, the password, or the user name without one. Undefined if it has no credential
 * for the scheme. A malformed credential, such as one behind a tab, is a key that is not valid.
 */
export function readKey(scheme: SecuritySchemeObject, request: FastifyRequest): string | undefined {
  const credential = readCredential(scheme, request);
  if (credential !== undefined)
    return typeof credential === "string" ? credential : credential.password || credential.username;
  const { authorization = "" } = request.headers;
  const [, rest] = splitAuthorization(authorization);
  return scheme.type === "apiKey" || rest === "" || !hasCredential(scheme, request) ? undefined : authorization;
}
