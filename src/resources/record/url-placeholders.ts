// URLs in new records. Their ids are not known before they are created, so the plan has others in their place.
import { isObject } from "../../lib/index.ts";

// The domain .invalid is reserved (RFC 2606, section 2).

/** What the plan has for the URL of a record. */
export const recordUrl = "http://record.invalid";

/** What the plan has for the URL of the record above it. */
export const parentUrl = "http://parent.invalid";

/** Returns whether a value has a URL of the plan. */
export function hasUrls(value: unknown): boolean {
  if (typeof value === "string") return value.startsWith(recordUrl) || value.startsWith(parentUrl);
  return typeof value === "object" && value !== null && Object.values(value).some(hasUrls);
}

/** Returns a value with the URL of a record, and of the one above it, instead of those of the plan. */
export function fillUrls<T>(value: T, url: string): T {
  if (typeof value === "string" && hasUrls(value)) {
    const isOwn = value.startsWith(recordUrl);
    return `${isOwn ? url : aboveOf(url)}${value.slice((isOwn ? recordUrl : parentUrl).length)}` as T;
  }
  if (Array.isArray(value)) return value.map((one) => fillUrls(one, url)) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillUrls(one, url)])) as T;
}

function aboveOf(url: string): string {
  return url.replace(/\/[^/]+\/[^/]+\/?$/, "");
}
