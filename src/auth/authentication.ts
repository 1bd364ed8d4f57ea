// Authenticates requests by API key: bearer token, SHA-256, lookup in the store.
//
// A key has 256 random bits. Its hash therefore needs no salt and no slow function, and a lookup by hash leaks nothing
// through its timing.
import { hash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { HttpError, type RateLimiter, toNetwork } from "../http/index.ts";
import type { Authenticate } from "../openapi/index.ts";
import type { Key, KeyStore } from "../store/index.ts";
import { KeyCache } from "./key-cache.ts";

/** The owner of an API key. */
export interface Caller {
  readonly id: bigint;
  readonly name: string;
  /** Whether the key may read /status and /metrics. */
  readonly operator: boolean;
}

/** Returns the caller of a request; undefined before authentication, and if no credential was required. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return request.caller as Caller | undefined;
}

/**
 * Creates the error of every 401 response. `details` are attributes of its `WWW-Authenticate` challenge, which has none
 * if no credential was sent (RFC 6750, section 3).
 */
export function unauthorized(
  message: string,
  details: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  return new HttpError("unauthorized", message, { ...headers, "www-authenticate": createChallenge(details) });
}

/** Creates the error of a request whose key is valid, but not sufficient (RFC 6750, section 3.1). */
export function insufficientScope(message: string): HttpError {
  const challenge = createChallenge({ error: "insufficient_scope" });
  return new HttpError("insufficient_scope", message, { "www-authenticate": challenge });
}

function createChallenge(details: Readonly<Record<string, string>>): string {
  const attributes = Object.entries({ realm: "petstore", ...details }).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${attributes.join(", ")}`;
}

/** The rule for the names of keys, which are also in logs and metrics. */
export const keyNameRule = "A name has 1 to 64 letters, digits or . _ - @, and begins with a letter, a digit or _.";

/** Returns whether a key can have this name. */
export function isKeyName(text: string): boolean {
  return /^\w[\w.@-]{0,63}$/.test(text);
}

/** Generates an API key and its hash. The store contains only the hash. */
export function generateKey(): { key: string; hash: string } {
  const key = `psk_${randomBytes(32).toString("base64url")}`;
  return { key, hash: digest(key) };
}

/** The result of the lookup of the key that a request has sent. */
export type KeyLookup =
  | { readonly key: Key; readonly hash: string }
  | { readonly reason: "not valid" | "expired"; readonly hash: string }
  | { readonly reason: "missing" };

interface SentKey {
  readonly authorization: string;
  readonly hash: string;
}

/**
 * Creates a function that looks up the key that a request has sent (RFC 6750, section 2.1). A key that was rejected is not
 * looked up again for the same request.
 */
export function createKeyLookup(keys: KeyStore): (request: FastifyRequest) => Promise<KeyLookup> {
  // Caches the hash by connection: a connection usually sends the same key again, and hashing is expensive.
  const sentKeys = new WeakMap<object, SentKey>();
  const cache = new KeyCache(keys);
  const rejected = new WeakMap<FastifyRequest, KeyLookup>(); // a request that waits in the queue is authenticated twice
  const readKey = ({ headers: { authorization }, raw: { socket } }: FastifyRequest): SentKey | undefined => {
    const previous = sentKeys.get(socket);
    if (previous !== undefined && previous.authorization === authorization) return previous;
    const key = /^bearer +(.*)/i.exec(authorization ?? "")?.[1];
    if (authorization === undefined || key === undefined) return undefined;
    const sent = { authorization, hash: digest(key) };
    sentKeys.set(socket, sent);
    return sent;
  };
  const find = async (request: FastifyRequest): Promise<KeyLookup> => {
    const sent = readKey(request);
    if (sent === undefined) return { reason: "missing" };
    const { hash } = sent;
    const key = await cache.find(hash);
    if (key === undefined) return { reason: "not valid", hash };
    const hasExpired = key.expiresAt !== undefined && key.expiresAt.getTime() <= Date.now();
    return hasExpired ? { reason: "expired", hash } : { key, hash };
  };
  return async (request) => {
    const previous = rejected.get(request);
    if (previous !== undefined) return previous;
    const found = await find(request);
    if ("reason" in found) rejected.set(request, found);
    return found;
  };
}

/** The options of `createBearerScheme`. */
export interface AuthenticationOptions {
  readonly findKey: (request: FastifyRequest) => Promise<KeyLookup>;
  /** Called once for each request with a valid key. `hash` is that of the key. */
  readonly onUse: (caller: Caller, hash: string, request: FastifyRequest) => void;
  /** Called with the hash of each key that is rejected. */
  readonly onReject: (hash: string) => void;
  /** Limits failed attempts by network address. */
  readonly failureLimiter: RateLimiter;
}

const header = "Authorization: Bearer <API_KEY>";

/**
 * Creates the security scheme `http bearer` (RFC 6750). Responds with 429 instead of 401 to an address with too many failed
 * attempts. Valid keys are never rejected, because 256 random bits can't be guessed, and other clients may have the same
 * address.
 */
export function createBearerScheme({
  findKey,
  onUse,
  onReject,
  failureLimiter,
}: AuthenticationOptions): Authenticate<Caller> {
  return async (request) => {
    const found = await findKey(request);
    if ("key" in found) {
      if (callerOf(request) === undefined) onUse(found.key, found.hash, request); // authenticated again before a body is used
      return found.key;
    }
    if (found.reason === "missing") return unauthorized(`This request requires an API key. Send it as ${header}.`);
    onReject(found.hash);
    const { headers, error } = failureLimiter.take(toNetwork(request.ip));
    if (error) return error;
    const reason = found.reason === "expired" ? "has expired" : "is not valid";
    const details = { error: "invalid_token", error_description: `The API key ${reason}` };
    return unauthorized(`The API key ${reason}. Send a valid key as ${header}.`, details, headers);
  };
}

function digest(key: string): string {
  return hash("sha256", key, "hex");
}
