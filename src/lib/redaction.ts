// Removes secrets, control characters and excess length from text before it is written to a message, a log or a terminal.

// Here and not in auth, because the command line redacts its errors without loading what authentication needs. In a path, the
// underscore may be percent-encoded, also more than once.
const apiKey = /psk(?:_|%(?:25)*5f)[\w%-]+/gi;

/** Replaces API keys, and the user and password of URLs, with "…". */
export function redact(text: string): string {
  return text.replace(apiKey, "psk_…").replace(/\/\/[^\s/"]*@/g, "//…@");
}

/** Returns the first `length` characters of a text, with "…" if it is longer: a client can send names of any length. */
export function shorten(text: string, length = 50): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Escapes control characters as \u001b, so that a terminal does not interpret them. */
export function escapeControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, toEscape);
}

/** Escapes all control characters except LF and CRLF. */
export function escapeExceptLineBreaks(text: string): string {
  return text.replace(/(?!\r?\n)\p{Cc}/gu, toEscape);
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
