// The syntax of header fields (RFC 9110, sections 5.1 and 5.5). Node checks it too late for an error response.
import type { FastifyReply } from "fastify";

/** The maximum size of all headers of a request, in bytes. */
export const maxHeaderSize = 16_384;

/** Returns whether a text can be the name of a header. */
export function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

/**
 * Splits the header Authorization into the name of the scheme, in lower case, and all that follows it: a malformed credential is
 * not an absent one (RFC 9110, section 11.4).
 */
export function splitAuthorization(value = ""): [scheme: string, rest: string] {
  const scheme = /^[\w!#$%&'*+.^`|~-]*/.exec(value)?.[0] as string;
  return [scheme.toLowerCase(), value.slice(scheme.length)];
}

/** Returns whether a text can be the value of a header. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Returns whether a text can be a media type, with any parameters (RFC 9110, section 8.3.1). */
export function isMediaType(text: string): boolean {
  const [type = "", subtype = ""] = text.split(/[;/]/, 2);
  return /^[^;]+\/[^;]+/.test(text) && isHeaderName(type) && isHeaderName(subtype.trimEnd()) && isHeaderText(text);
}

/** Returns whether a header describes the framing of a message (RFC 9112, section 6). Only the server can set it. */
export function isFraming(name: string): boolean {
  return /^(trailer|transfer-encoding)$/i.test(name);
}

/** Returns whether a header describes the framing or the content of a message. */
export function describesContent(name: string): boolean {
  return isFraming(name) || /^content-(encoding|length|type)$/i.test(name);
}

const lists = /^(link|vary)$/i; // RFC 8288, section 3; RFC 9110, section 12.5.5

/** Sets a header of the response. Appends to Link and Vary, which are lists, unless they have the value already. */
export function setHeader(reply: FastifyReply, name: string, value: string): void {
  const current = lists.test(name) ? reply.getHeader(name) : undefined;
  if (current === undefined) reply.header(name, value);
  else if (!`${current}`.split(", ").includes(value)) reply.header(name, `${current}, ${value}`);
}
