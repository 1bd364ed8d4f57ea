// The syntax of header fields (RFC 9110, sections 5.1 and 5.5). Node checks it too late for an error response.

/** Returns whether a text can be the name of a header. */
export function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

/** Returns whether a text can be the value of a header. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Returns whether a header describes the framing of a message (RFC 9112, section 6). Only the server can set it. */
export function isFraming(name: string): boolean {
  return /^(trailer|transfer-encoding)$/i.test(name);
}

/** Returns whether a header describes the framing or the content of a message. */
export function describesContent(name: string): boolean {
  return isFraming(name) || /^content-(encoding|length|type)$/i.test(name);
}
