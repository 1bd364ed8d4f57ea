// Media types: which reader and writer a body needs, and which declared media type a request means.
import { parseMediaType } from "../http/index.ts";

/** How a body is read and written. A stream is passed on, and its schema is not enforced. */
export type Format = "json" | "form" | "multipart" | "text" | "stream";

/** Returns the format of a media type. */
export function formatOf(mediaType: string): Format {
  const essence = essenceOf(mediaType);
  if (isJson(essence)) return "json";
  if (essence === "application/x-www-form-urlencoded") return "form";
  if (essence === "multipart/form-data") return "multipart";
  return essence.startsWith("text/") && essence !== "text/event-stream" ? "text" : "stream";
}

/** Returns whether a media type is JSON: `application/json`, or with the suffix +json (RFC 6839, section 3.1). */
export function isJson(mediaType: string): boolean {
  return /^[^/]+\/([^+]+\+)?json$/.test(essenceOf(mediaType));
}

function essenceOf(mediaType: string): string {
  return (mediaType.split(";", 1)[0] as string).trim().toLowerCase();
}

/**
 * Returns the declared media type or range, such as `text/*`, that a media type means: the most specific one. Returns
 * undefined if there is none.
 */
export function selectMediaType(declared: readonly string[], mediaType: string): string | undefined {
  const essence = essenceOf(mediaType);
  const ranges = [essence, `${essence.split("/", 1)[0]}/*`, "*/*"];
  const exact = declared.find((range) => range.includes(";") && isSame(range, mediaType));
  return exact ?? ranges.map((range) => declared.find((other) => essenceOf(other) === range)).find(Boolean);
}

// Whether two media types have the same parameters, in any order.
function isSame(one: string, other: string): boolean {
  const [left, right] = [parseMediaType(one), parseMediaType(other)];
  if (left === undefined || right === undefined || left.essence !== right.essence) return false;
  return [...left.parameters].every(([name, value]) => right.parameters.get(name) === value);
}

/**
 * Returns the media type that a client prefers (RFC 9110, section 12.5.1), the first of equal ones; undefined if it accepts
 * none. Without the header, and for a header of more than 1,024 characters, it accepts each.
 */
export function negotiate(available: readonly string[], accept: string | undefined): string | undefined {
  if (accept === undefined || accept.trim() === "" || accept.length > 1_024) return available[0];
  const ranges = accept.split(",").flatMap((text) => parseMediaType(text.trim()) ?? []);
  let best: string | undefined;
  let bestQuality = 0;
  for (const mediaType of available) {
    const quality = qualityOf(mediaType, ranges);
    if (quality > bestQuality) [best, bestQuality] = [mediaType, quality];
  }
  return best;
}

// The quality of the most specific range that matches. Its parameters are ignored.
function qualityOf(mediaType: string, ranges: readonly NonNullable<ReturnType<typeof parseMediaType>>[]): number {
  const essence = essenceOf(mediaType);
  const names = [essence, `${essence.split("/", 1)[0]}/*`, "*/*"];
  for (const name of names) {
    const range = ranges.find((one) => one.essence === name);
    if (range) return Number(range.parameters.get("q") ?? 1);
  }
  return 0;
}
