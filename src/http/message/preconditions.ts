// Entity tags, and the preconditions that use them (RFC 9110, sections 8.8.3 and 13). There are no modification
// dates, so that If-Modified-Since and If-Unmodified-Since are ignored (section 13.1.3 and 13.1.4).
import { createHash, hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { HttpError, InvalidRequest } from "../failure/http-error.ts";

/** Creates the strong entity tag of a content, and of headers that belong to it. */
export function createTag(content: string | Uint8Array, headers: Headers = []): string {
  const prefix = JSON.stringify(headers); // an array, also if it is empty: so it is clear where the content begins
  const digest =
    typeof content === "string"
      ? hash("sha256", prefix + content, "base64url")
      : createHash("sha256").update(prefix).update(content).digest("base64url");
  return `"${digest.slice(0, 27)}"`; // 162 bits
}

type Headers = readonly (readonly [name: string, text: string])[];

/**
 * Returns the entity tag of a response: that of its handler, because a version is cheaper than a digest, or one of the content;
 * undefined for a stream. The headers of the handler count, such as a link to the next page, because a client that gets 304
 * uses those that it has stored.
 */
export function tagOf(headers: Headers, content: unknown): string | undefined {
  const own = headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
  if (own !== undefined) return own;
  return typeof content === "string" || content instanceof Uint8Array ? createTag(content, headers) : undefined;
}

/** Returns the tag of the same content in a content coding, whose bytes differ (section 8.8.3.3). */
export function addCoding(tag: string, coding: string): string {
  return tag.replace(/"$/, `-${coding}"`);
}

function removeCoding(tag: string): string {
  return tag.replace(/-(?:gzip|br|zstd)"$/, '"');
}

/**
 * Returns whether the client has the content with this tag, so that the response is 304. Throws an HttpError (412) if it
 * expects other content. Evaluates the headers in the order of section 13.2.2.
 */
export function isNotModified(
  { "if-match": expected, "if-none-match": known }: IncomingHttpHeaders,
  tag: string,
): boolean {
  const weak = tag.startsWith("W/");
  if (expected !== undefined && !hasTag(expected, (other) => other === tag && !weak)) throw preconditionFailed();
  return known !== undefined && hasTag(known, (other) => opaque(other) === opaque(tag));
}

/** Throws an HttpError (412) if a request has one of the headers, which are preconditions that nothing evaluates. */
export function rejectPreconditions(headers: IncomingHttpHeaders, names: readonly string[]): void {
  const name = names.find((one) => headers[one.toLowerCase()] !== undefined);
  if (name === undefined) return;
  throw new HttpError(
    "precondition_failed",
    `This operation can't evaluate the header ${name}, and was not executed. Send the request without it.`,
  );
}

/**
 * Returns whether the header has one of the tags of a representation, in any content coding; undefined if it was not sent. The
 * representation does not exist if `createTags` returns undefined. If-Match compares strongly, and If-None-Match weakly (section
 * 8.8.3.2). Throws an InvalidRequest if the header is malformed.
 */
export function matchesTag(
  name: "If-Match" | "If-None-Match",
  sent: IncomingHttpHeaders,
  createTags: () => readonly string[] | undefined,
): boolean | undefined {
  const list = sent[name === "If-Match" ? "if-match" : "if-none-match"];
  if (list === undefined) return undefined;
  if (parseTags(list) === undefined)
    throw new InvalidRequest([
      { location: "header", name, message: `The header ${name} must be * or a list of entity tags, such as "a1".` },
    ]);
  const tags = createTags();
  if (tags === undefined) return false;
  const isEqual = (one: string, other: string) =>
    name === "If-Match" ? one === other && !one.startsWith("W/") : opaque(one) === opaque(other);
  return hasTag(list, (one) => tags.some((tag) => isEqual(one, tag) || isEqual(removeCoding(one), tag)));
}

function preconditionFailed(): HttpError {
  return new HttpError(
    "precondition_failed",
    "The If-Match header does not have the ETag of this resource. Request it without If-Match.",
  );
}

// A malformed list has no tag.
function hasTag(list: string, isEqual: (tag: string) => boolean): boolean {
  const tags = parseTags(list) ?? [];
  return tags === "*" || tags.some(isEqual);
}

// Sections 8.8.3 and 5.6.1.2: elements can be empty. A tag can contain commas.
function parseTags(list: string): readonly string[] | "*" | undefined {
  if (list.trim() === "*") return "*";
  const isList = /^[ \t,]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[ \t]*(?:,[ \t,]*|$))*$/.test(list);
  return isList ? (list.match(/(?:W\/)?"[^"]*"/g) ?? []) : undefined;
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}
