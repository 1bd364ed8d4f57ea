// The caller of a request, as a store and its records know it.
import { createHash } from "node:crypto";
import { canonicalJson } from "../../../lib/index.ts";
import { identitiesOf } from "../../../openapi/index.ts";

/**
 * Returns the id of a caller: that of an API key, or else one made of what the check of the credential has returned. The id 0, which no API key
 * has, is that of all callers without a credential.
 */
export function callerId(caller: unknown): bigint {
  if (caller === undefined) return 0n;
  const [id, ...others] = identitiesOf(caller).map((one) => one.id);
  if (typeof id === "bigint" && others.length === 0 && id > 0n) return id;
  const known = others.length > 0 ? [id, ...others].map(String) : typeof id === "bigint" ? `${id}` : (id ?? caller);
  return BigInt.asUintN(62, digestOf(known).readBigUInt64BE());
}

/** Returns the SHA-256 of a JSON value, whichever the order of its members is. */
export function digestOf(value: unknown): Buffer {
  return createHash("sha256").update(canonicalJson(value)).digest();
}
