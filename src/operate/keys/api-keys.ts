// API keys. A key has 256 random bits. Its hash therefore needs no salt and no slow function, and a lookup by hash leaks
// nothing through its timing.
import { randomBytes } from "node:crypto";
import { hashKey } from "./key-lookup.ts";

/** Generates an API key and its hash. The store contains only the hash. */
export function generateKey(): { key: string; hash: string } {
  const key = `psk_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashKey(key) };
}
