// URLs in new records. Their ids are not known before they are created, so the plan has others in their place.
import { isObject } from "../../lib/index.ts";

// The domain .invalid is reserved (RFC 2606, section 2).

/** What the plan has for the URL of a record. */
export const recordUrl = "http://record.invalid";

/** What the plan has for the URL of the record above it, before the number of segments by which it is shorter. */
export const parentUrl = "http://parent.invalid";

/** Returns whether a value has a URL of the plan. */
export function hasUrls(value: unknown): boolean {
  if (typeof value === "string") return value.startsWith(recordUrl) || value.startsWith(parentUrl);
  return typeof value === "object" && value !== null && Object.values(value).some(hasUrls);
}

/** Returns a value with the URL of a record, and of the one above it, instead of those of the plan. */
export function fillUrls<T>(value: T, url: string): T {
  if (typeof value === "string" && value.startsWith(recordUrl)) return `${url}${value.slice(recordUrl.length)}` as T;
  if (typeof value === "string" && value.startsWith(parentUrl)) {
    const count = Number(value.slice(parentUrl.length + 1));
    return url.replace(/\/$/, "").split("/").slice(0, -count).join("/") as T;
  }
  if (Array.isArray(value)) return value.map((one) => fillUrls(one, url)) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillUrls(one, url)])) as T;
}
