// Parses JSON bodies strictly: without coercion, replacement characters or rounding.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { parseJson, shorten } from "../lib/index.ts";
import { HttpError } from "./errors.ts";
import { parseMediaType } from "./media-type.ts";
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
      await app.waitForTurn(request); // the time of parsing counts as the client's
      checkContentCoding(request.headers["content-encoding"]);
      checkMediaType(request.headers["content-type"] as string);
      if (bytes.length === 0) throw new HttpError("invalid_body", "The body must not be empty.");
      return parseBody(bytes);
    });
  },
  { name: "json-body", dependencies: ["load-shedding"] },
);

// An empty value or element means no coding (RFC 9110, sections 5.6.1 and 8.4).
function checkContentCoding(value = ""): void {
  const codings = value.split(",").map((name) => name.trim());
  const coding = codings.find((name) => name !== "" && name.toLowerCase() !== "identity");
  if (coding !== undefined)
    throw new HttpError(
      "unsupported_media_type",
      `The Content-Encoding ${shorten(coding)} is not supported. Send the body without Content-Encoding.`,
    );
}

// Fastify ignores parameters that it can't parse. Node joins two headers with a comma, which no parameter of JSON has.
function checkMediaType(value: string): void {
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
