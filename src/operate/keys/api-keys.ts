// API keys, and their owners. A key has 256 random bits. Its hash therefore needs no salt and no slow function, and a lookup
// by hash leaks nothing through its timing.
import { hash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Key, KeyStore } from "../../store/index.ts";

/** The owner of an API key. */
export interface Caller {
  readonly id: bigint;
  readonly name: string;
  /** Whether the key may read /metrics and /status.json. */
  readonly operator: boolean;
  /** What the key may do. Undefined for all. */
  readonly scopes?: readonly string[] | undefined;
}

/** Returns the caller of a request; undefined before authentication, and if no credential was required. */
export function callerOf(request: FastifyRequest): Partial<Caller> | undefined {
  return request.caller as Partial<Caller> | undefined;
}

/** Generates an API key and its hash. The store contains only the hash. */
export function generateKey(): { key: string; hash: string } {
  const key = `psk_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashKey(key) };
}

/** Returns the hash of a key (SHA-256, hexadecimal), by which the store knows it. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** A key. Without scopes, it has all of them. */
export interface StaticKey {
  readonly key: string;
  readonly name?: string;
  readonly scopes?: readonly string[];
}

const epoch = new Date(0);

/** Returns a lookup that finds `keys`, and then those of a store. */
export function withStaticKeys(
  keys: readonly StaticKey[],
  store: Pick<KeyStore, "find"> | undefined,
): Pick<KeyStore, "find"> {
  if (store && keys.length === 0) return store;
  const byHash = new Map(keys.map((one) => [hashKey(one.key), toKey(one)]));
  return { find: async (hash) => byHash.get(hash) ?? store?.find(hash) };
}

// Its id is negative, and differs from those of other keys, so that Idempotency-Keys belong to one key.
function toKey({ key, name = "(static)", scopes }: StaticKey): Key {
  const id = -BigInt(`0x${hashKey(key).slice(0, 15)}`) - 1n;
  return { id, name, operator: false, createdAt: epoch, scopes };
}
