// Keys that are not in the store: those of the command line, and of a file.
import type { Key, KeyStore } from "../../store/index.ts";
import { hashKey } from "./key-lookup.ts";

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
