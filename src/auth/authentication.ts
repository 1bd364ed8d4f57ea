// Authenticates requests by API key: bearer token, SHA-256, lookup in the store.
//
// A key has 256 random bits. Its hash therefore needs no salt and no slow function, and a lookup by hash leaks nothing
// through its timing. The store is queried on every request, so a revocation takes effect at once.
import { hash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { HttpError, type RateLimiter, toNetwork } from "../http/index.ts";
import type { Authenticate } from "../spec/index.ts";
import type { KeyStore } from "../store/index.ts";

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

/** The `WWW-Authenticate` challenge of a 401 response (RFC 6750, section 3). */
export const challenge = 'Bearer realm="petstore"';

/** Generates an API key and the hash by which the store knows it. */
export function generateKey(): { key: string; hash: string } {
  const key = `psk_${randomBytes(32).toString("base64url")}`;
  return { key, hash: digest(key) };
}

/** The options of `createBearerScheme`. */
export interface AuthenticationOptions {
  readonly keys: KeyStore;
  /** Called for each request with a valid key. */
  readonly onUse: (caller: Caller) => void;
  /** Limits failed attempts by network address. */
  readonly failures: RateLimiter;
}

const instructions = "send it as Authorization: Bearer <API_KEY>";

interface SentKey {
  readonly authorization: string;
  readonly hash: string;
  /** Whether the key was valid when it was last sent on this connection. */
  valid: boolean;
}

/** Creates the security scheme `http bearer` (RFC 6750). */
export function createBearerScheme({ keys, onUse, failures }: AuthenticationOptions): Authenticate<Caller> {
  // Caches the hash by connection: a connection usually sends the same key again, and hashing is expensive.
  const cache = new WeakMap<object, SentKey>();
  const readKey = ({ headers: { authorization }, raw: { socket } }: FastifyRequest): SentKey | undefined => {
    const cached = cache.get(socket);
    if (cached !== undefined && cached.authorization === authorization) return cached;
    const key = /^bearer +(.*)$/i.exec(authorization ?? "")?.[1];
    if (authorization === undefined || key === undefined) return undefined;
    const sent = { authorization, hash: digest(key), valid: false };
    cache.set(socket, sent);
    return sent;
  };
  return async (request) => {
    const sent = readKey(request);
    if (sent === undefined)
      return new HttpError("unauthorized", `This call needs an API key: ${instructions}.`, {
        "www-authenticate": challenge,
      });
    const network = () => toNetwork(request.ip);
    // A connection whose key was valid is exempt: clients that share an address must not lock each other out.
    const exhausted = sent.valid ? undefined : failures.exhausted(network);
    if (exhausted) return exhausted;
    const key = await keys.find(sent.hash);
    sent.valid = key !== undefined && (key.expiresAt === undefined || key.expiresAt.getTime() > Date.now());
    if (key && sent.valid) {
      onUse(key);
      return key;
    }
    const { headers, error } = failures.take(network());
    if (error) return error;
    const reason = key ? "has expired" : "is not valid";
    return new HttpError("unauthorized", `The API key ${reason}: make a new one, and ${instructions}.`, {
      ...headers,
      "www-authenticate": `${challenge}, error="invalid_token", error_description="The API key ${reason}"`,
    });
  };
}

function digest(key: string): string {
  return hash("sha256", key, "hex");
}
