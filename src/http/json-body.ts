// Parses JSON bodies strictly: without coercion, replacement characters or rounding.
import { parseJson } from "../lib/index.ts";
import { HttpError } from "./errors.ts";
import { parseMediaType } from "./media-type.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Checks the Content-Type of a JSON body. Throws an HttpError if it is malformed, or if its charset is not UTF-8. Fastify
 * ignores parameters that it can't parse. Node joins two headers with a comma, which no parameter of JSON has.
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

/** Decodes UTF-8, and keeps a byte order mark. Throws an HttpError if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpError("invalid_body", "The body must be encoded in UTF-8.");
  }
}

/** Parses a JSON body. Throws an HttpError if it is not JSON, or if other parsers may read it differently. */
export function parseBody(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  if (text.startsWith("\ufeff")) throw new HttpError("invalid_body", "The body must not begin with a byte order mark.");
  try {
    return parseJson(text);
  } catch (error) {
    // A RangeError means that the nesting exceeds the stack of JSON.parse.
    const reason = error instanceof SyntaxError ? error.message : "it is nested too deeply";
    throw new HttpError("invalid_body", `The body is not valid JSON: ${reason}.`);
  }
}
