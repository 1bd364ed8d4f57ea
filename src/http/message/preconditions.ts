// Entity tags, and the preconditions that use them (RFC 9110, sections 8.8.3 and 13). There are no modification
// dates, so that If-Modified-Since and If-Unmodified-Since are ignored (section 13.1.3 and 13.1.4).
import { createHash, hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { HttpError } from "../failure/index.ts";

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
 * Adds an entity tag to a response, unless its content is a stream, or its handler has added one: a version is cheaper than a
 * digest. The headers of the handler count, such as a link to the next page, because a client that gets 304 uses those that
 * it has stored.
 */
export function addTag(reply: FastifyReply, headers: Headers, content: unknown): void {
  if (headers.some(([name]) => name.toLowerCase() === "etag")) return;
  if (typeof content === "string" || content instanceof Uint8Array) reply.header("etag", createTag(content, headers));
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
 * Returns whether a list of tags, as in If-Match or If-None-Match, has the tag of a representation, in any content coding; undefined
 * without a list. The representation does not exist if `createTag` returns undefined. The comparison is that of section 8.8.3.2.
 */
export function matchesTag(
  list: string | undefined,
  createTag: () => string | undefined,
  comparison: "strong" | "weak",
): boolean | undefined {
  if (list === undefined) return undefined;
  const tag = createTag();
  if (tag === undefined) return false;
  const isComparable = (text: string) => comparison === "weak" || !text.startsWith("W/");
  const toComparable = (text: string) => (comparison === "weak" ? opaque(text) : text);
  return hasTag(
    list,
    (other) => isComparable(other) && toComparable(removeCoding(other)) === toComparable(tag) && isComparable(tag),
  );
}

function preconditionFailed(): HttpError {
  return new HttpError(
    "precondition_failed",
    "The If-Match header does not have the ETag of this resource. Request it without If-Match.",
  );
}

// A tag can contain commas.
function hasTag(list: string, isEqual: (tag: string) => boolean): boolean {
  return list.trim() === "*" || (list.match(/(?:W\/)?"[^"]*"/g) ?? []).some(isEqual);
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}
