// The values that are sent as JSON, before they are compared with their schemas.
import { setOwn } from "../../lib/index.ts";

/** Returns what JSON.stringify writes: objects with toJSON, such as Date, are replaced by what it returns. */
export function toSentValue(value: unknown): unknown {
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return Number(value);
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return toSentValue(toJSON.call(value));
  let copy: Record<string, unknown> | unknown[] | undefined; // only of a value that differs
  for (const [name, member] of Object.entries(value)) {
    const sent = toSentValue(member);
    if (sent === member) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    setOwn(copy, name, sent);
  }
  return copy ?? value;
}

const internals = ["then", "pipe", Symbol.iterator, Symbol.asyncIterator];

/**
 * Returns whether JSON.stringify writes the content of a value. Of streams, promises, collections and other objects of Node, it would
 * write the internals, or nothing.
 */
export function isJsonValue(body: unknown): boolean {
  if (typeof body === "function" || typeof body === "symbol") return false;
  if (typeof body !== "object" || body === null || Array.isArray(body) || "toJSON" in body)
    return !Buffer.isBuffer(body);
  if (ArrayBuffer.isView(body) || body instanceof Error) return false;
  const isOpaque = Object.prototype.toString.call(body) !== "[object Object]" && Object.keys(body).length === 0;
  return !(isOpaque || internals.some((name) => typeof Reflect.get(body, name) === "function"));
}
