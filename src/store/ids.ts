// The ids of records: texts and numbers, how a store makes them, and their addresses in scopes.

import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { RecordId } from "./port.ts";

const maxKeyLength = 500; // characters of up to 4 bytes: an entry of an index of PostgreSQL has up to 2,704 bytes

/** Why a text can't be an id. Completes a sentence; undefined if it can. */
export function findKeyProblem(key: string): string | undefined {
  if (key === "" || key.length > maxKeyLength) return `must have 1 to ${maxKeyLength} characters`;
  if (key === "." || key === "..") return "must not be . or .., which are no segments of a URL";
  return key.includes("\0") || !key.isWellFormed() ? "must have no NUL, and no half of a surrogate pair" : undefined;
}

let lastNumber = 0;

// 12 bits of each millisecond, so that it is below 2^53 until 2039. Two processes make the same once in 4,096 times in the same
// millisecond: the second one is busy then (503).
function nextSafeNumber(): number {
  lastNumber = Math.max(lastNumber + 1, Date.now() * 2 ** 12 + randomInt(2 ** 12));
  return lastNumber;
}

/**
 * The forms of ids that are texts and that a store makes: a UUID, about 19 digits in ascending order, 16 digits that a double has
 * exactly, 24 or 32 hexadecimal digits, or 22 characters of base64url.
 */
export const idForms = {
  uuid: () => randomUUID() as string,
  digits: () => `${(BigInt(Date.now()) << 22n) | BigInt(randomInt(2 ** 22))}`,
  safeDigits: () => `${nextSafeNumber()}`,
  hex: () => randomBytes(12).toString("hex"),
  hex32: () => randomBytes(16).toString("hex"),
  base64url: () => randomBytes(16).toString("base64url"),
} as const;

/** The name of a form of ids. */
export type IdForm = keyof typeof idForms;

/** Returns a new id. */
export function makeId(form: IdForm = "uuid", prefix = ""): string {
  return prefix + idForms[form]();
}

/** The highest int64. */
export const maxInt64 = 2n ** 63n - 1n;

/** The highest number of a record: the one before the last int64, so that one can follow. */
export const maxNumber = 2n ** 63n - 2n;

/** The highest number that an import can have, so that many can follow: above those that clients choose, and the server has made since. */
export const maxImportedNumber = 3n * 2n ** 61n;

/** Returns the highest int64 up to which all are allowed, if the first thousand, or all below the highest one, are. */
export function findHighest(isAllowed: (id: bigint) => boolean): bigint {
  if (isAllowed(maxInt64)) return maxInt64;
  let [low, high] = [0n, maxInt64];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (isAllowed(middle)) low = middle;
    else high = middle;
  }
  if (low <= 1_000n) for (high = low, low = 0n; low < high && isAllowed(low + 1n); ) low++; // such as an enum
  return low;
}

/** Returns a scope: the values of the path that select it, such as `["a/b", 7]`: `a%2Fb/7/`. */
export function toScope(values: readonly (string | bigint | number)[]): string {
  return values.map((value) => `${encodeURIComponent(`${value}`)}/`).join("");
}

/** Returns the range of the addresses in a scope, and in those below it: from the first, up to but not the second. */
export function scopeRange(scope: string): readonly [from: string, to: string] {
  return [scope, `${scope.slice(0, -1)}0`]; // the character behind the slash
}

/** Returns the address of a record in a scope. */
export function toAddress(scope: string, id: RecordId): string {
  return scope + encodeURIComponent(`${id}`);
}

/** Returns the scope of an address, such as `acme/7`; empty for a collection without scopes. */
export function scopeOf(address: RecordId): string {
  return `${address}`.slice(0, Math.max(0, `${address}`.lastIndexOf("/")));
}
