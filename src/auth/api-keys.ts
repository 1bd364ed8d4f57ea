// API keys. A key has 256 random bits. Its hash therefore needs no salt and no slow function, and a lookup by hash leaks
// nothing through its timing.
import { randomBytes } from "node:crypto";
import { hashKey } from "./key-lookup.ts";

/** The rule for the names of keys, which are also in logs and metrics. */
export const keyNameRule = "A name has 1 to 64 letters, digits or . _ - @, and begins with a letter, a digit or _.";

/** Returns whether a key can have this name. */
export function isKeyName(text: string): boolean {
  return /^\w[\w.@-]{0,63}$/.test(text);
}

/** Generates an API key and its hash. The store contains only the hash. */
export function generateKey(): { key: string; hash: string } {
  const key = `psk_${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashKey(key) };
}
