// Media types (RFC 9110, section 8.3.1): their syntax, the format of each, and which declared one a request means.
//
// Not MIMEType of Node, which takes quadratic time on a parameter with many blanks, and ignores what it can't parse.
import { HttpError } from "../../http/index.ts";

/** A media type, such as `application/json; charset=utf-8`. */
export interface MediaType {
  /** The type and the subtype, in lower case. */
  readonly essence: string;
  /** The values of the parameters, by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const maxLength = 1_024; // characters; no registered media type needs more

// Sticky: each begins where the previous one has ended, so that the time is linear.
const essence = /[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+/y;
const separator = /[\t ]*;[\t ]*/y;
const parameter = /([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[\t !#-[\]-~]|\\[\t -~])*)")/y;

/**
 * Parses a media type in ASCII. Returns undefined if it is malformed, has a parameter twice, or has more than 1,024
 * characters.
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > maxLength) return undefined;
  let position = 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match) position = pattern.lastIndex;
    return match;
  };
  const name = next(essence)?.[0].toLowerCase();
  const parameters = new Map<string, string>();
  while (next(separator)) {
    const [, key, value, quoted] = next(parameter) ?? []; // a parameter can be empty
    if (key === undefined) continue;
    if (parameters.has(key.toLowerCase())) return undefined; // recipients differ in which of two values they use
    parameters.set(key.toLowerCase(), value ?? (quoted as string).replace(/\\(.)/g, "$1"));
  }
  return name === undefined || position < text.length ? undefined : { essence: name, parameters };
}

/**
 * Checks the Content-Type of a text, such as JSON. Throws an HttpError if it is malformed, or if its charset is not UTF-8.
 * Fastify ignores parameters that it can't parse. Node joins two headers with a comma, which no parameter of JSON has.
 */
export function checkMediaType(value: string): void {
  const type = value.includes(",") ? undefined : parseMediaType(value);
  if (type === undefined)
    throw new HttpError(
      "unsupported_media_type",
      "The request must have one Content-Type header with a well-formed media type of at most 1024 characters.",
    );
  if (!/^utf-?8$/i.test(type.parameters.get("charset") ?? "utf-8"))
    throw new HttpError("unsupported_media_type", "The charset of the Content-Type must be UTF-8.");
}

/** How a body is read and written. A stream is passed on, and its schema is not enforced. */
export type FormatName = "json" | "form" | "multipart" | "text" | "stream";

/** Returns the format of a media type. */
export function formatOf(mediaType: string): FormatName {
  const essence = essenceOf(mediaType);
  if (isJson(essence)) return "json";
  if (essence === "application/x-www-form-urlencoded") return "form";
  if (essence === "multipart/form-data") return "multipart";
  return essence.startsWith("text/") && essence !== "text/event-stream" ? "text" : "stream";
}

/** Returns whether a media type is JSON: `application/json`, or with the suffix +json (RFC 6839, section 3.1). */
export function isJson(mediaType: string): boolean {
  return /^[^/]+\/(.+\+)?json$/.test(essenceOf(mediaType));
}

/** Returns a media type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(";", 1)[0] as string).trim().toLowerCase();
}

/**
 * Returns the members of a `content` whose names are media types, or ranges such as `text/*` and `*\/*`. The suffix in `application/*+json`
 * is not in RFC 9110, but common. `onOther` gets what is wrong with each other one.
 */
export function listContents<T extends { readonly pointer: string }>(
  members: readonly [string, T][],
  onOther?: (reason: string, pointer: string) => void,
): [string, T][] {
  return members.filter(([name, { pointer }]) => {
    const { essence = "*" } = parseMediaType(name.trim()) ?? {};
    const isType = !essence.includes("*") || /^(\*\/\*|[^*]+\/\*(\+[^*]+)?)$/.test(essence);
    if (!isType) onOther?.(`of ${name}, which is neither a media type nor a range such as application/*`, pointer);
    return isType;
  });
}

/**
 * Returns the declared media type or range, such as `text/*`, that a media type means: the most specific one. Returns
 * undefined if there is none.
 */
export function selectMediaType(declared: readonly string[], mediaType: string): string | undefined {
  const essence = essenceOf(mediaType);
  const [type = "", subtype = ""] = essence.split("/");
  const suffixes = subtype.split("+").length > 1 ? [`${type}/*+${subtype.split("+").at(-1)}`] : [];
  const ranges = [essence, ...suffixes, `${type}/*`, "*/*"];
  const { parameters } = parse(mediaType);
  for (const range of ranges) {
    const same = declared.filter((other) => essenceOf(other) === range);
    const counts = same.map((other) => countEqual(parse(other).parameters, parameters));
    const most = Math.max(...counts.filter((count) => count !== undefined), -1);
    if (most >= 0) return same[counts.indexOf(most)];
  }
  return undefined;
}

function parse(mediaType: string): MediaType {
  return parseMediaType(mediaType.trim()) ?? { essence: essenceOf(mediaType), parameters: new Map() };
}

// The number of parameters that two media types share; undefined if they differ in one. The charset is checked elsewhere.
function countEqual(one: MediaType["parameters"], other: MediaType["parameters"]): number | undefined {
  const shared = [...one].filter(([name]) => name !== "charset" && other.has(name));
  return shared.every(([name, value]) => other.get(name) === value) ? shared.length : undefined;
}

/**
 * Returns the media type that a client prefers (RFC 9110, section 12.5.1), the first of equal ones; undefined if it accepts
 * none. Without the header, and for a header of more than 1,024 characters, it accepts each.
 */
export function negotiate(available: readonly string[], accept: string | undefined): string | undefined {
  if (accept === undefined || accept.trim() === "" || accept.length > 1_024) return available[0];
  const ranges = accept
    .split(",")
    .flatMap((text) => parseMediaType(text.trim()) ?? [])
    .filter(({ parameters }) => /^(0(\.\d*)?|1(\.0*)?)$/.test(parameters.get("q") ?? "1"));
  let best: string | undefined;
  let bestQuality = 0;
  for (const mediaType of available) {
    const quality = qualityOf(mediaType, ranges);
    if (quality > bestQuality) [best, bestQuality] = [mediaType, quality];
  }
  // A client of one version of an API accepts application/vnd.api.v3+json, and its document may say application/json.
  const acceptsJson = ranges.some(({ essence }) => essence.endsWith("+json"));
  return best ?? (acceptsJson ? available.find((mediaType) => essenceOf(mediaType) === "application/json") : undefined);
}

// The quality of the most specific range that matches (RFC 9110, section 12.5.1). A parameter that only one of them has is
// ignored.
function qualityOf(mediaType: string, ranges: readonly MediaType[]): number {
  const { essence, parameters } = parse(mediaType);
  let quality = 0;
  let highest = -1;
  for (const range of ranges) {
    const level = levelOf(essence, range.essence);
    const equal = countEqual(parameters, range.parameters);
    if (level === undefined || equal === undefined || level + equal <= highest) continue;
    highest = level + equal;
    quality = Number(range.parameters.get("q") ?? 1);
  }
  return quality;
}

// How specific a range is that matches a declared media type, which can be a range itself; undefined if it does not match.
function levelOf(declared: string, range: string): number | undefined {
  const isWithin = (one: string, other: string) => other === "*/*" || other === `${one.split("/", 1)[0]}/*`;
  const suffix = /^([^/]+\/)\*(\+.+)$/.exec(declared);
  if (declared === range || isWithin(range, declared)) return 2_000; // more than any number of parameters
  if (suffix && range.startsWith(suffix[1] as string) && range.endsWith(suffix[2] as string)) return 2_000;
  if (!isWithin(declared, range)) return undefined;
  return range === "*/*" ? 0 : 1_000;
}
