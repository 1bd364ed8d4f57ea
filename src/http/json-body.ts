// Parses JSON bodies strictly: without coercion, replacement characters or rounding.
import type { IncomingMessage } from "node:http";
import { MIMEType } from "node:util";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { parseJson } from "../lib/index.ts";
import { HttpError } from "./errors.ts";
import { limitWaitingChunks, readBody } from "./request-body.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses bodies of application/json. Responds with 415 to other media types, charsets and content codings. */
export const jsonBody = fp(
  async (app) => {
    for (const event of ["request", "checkContinue", "checkExpectation"])
      app.server.prependListener(event, limitWaitingChunks);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: IncomingMessage) => {
      const bytes = await readBody(request, payload);
      checkContentCoding(request.headers["content-encoding"]);
      checkMediaType(request.headers["content-type"] as string);
      if (bytes.length === 0) throw new HttpError("invalid_body", "The body must not be empty.");
      return parseBody(bytes);
    });
  },
  { name: "json-body" },
);

// An empty value or element means no coding (RFC 9110, sections 5.6.1 and 8.4).
function checkContentCoding(value = ""): void {
  const coding = value.split(",").find((name) => !/^\s*(identity)?\s*$/i.test(name));
  if (coding !== undefined)
    throw new HttpError(
      "unsupported_media_type",
      `The Content-Encoding ${coding.trim()} is not supported. Send the body without Content-Encoding.`,
    );
}

// Fastify ignores parameters that it can't parse, such as the second header behind a comma. No parameter of JSON has a
// comma or a character that is not ASCII.
function checkMediaType(value: string): void {
  if (/[^\t -~]|,/.test(value))
    throw new HttpError("unsupported_media_type", "The request must have one Content-Type header, in ASCII.");
  if (!/^utf-?8$/i.test(new MIMEType(value).params.get("charset") ?? "utf-8"))
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
