// The syntax of header fields (RFC 9110, sections 5.1 and 5.5). Node checks it too late for an error response.

/** Returns whether a text can be the name of a header. */
export function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

/** Returns whether a text can be the value of a header. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
