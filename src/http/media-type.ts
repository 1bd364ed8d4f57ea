// Parses media types (RFC 9110, section 8.3.1).
//
// Not MIMEType of Node, which takes quadratic time on a parameter with many blanks, and ignores what it can't parse.
import { HttpError } from "./errors.ts";

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
