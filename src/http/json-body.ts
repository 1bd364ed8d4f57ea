// The bytes of a body become JSON, strictly: nothing is guessed, replaced or rounded.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseJson } from "../lib/index.ts";
import { HttpError } from "./errors.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Makes `app` read application/json, and refuse any other media type with 415. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async ({ headers }: FastifyRequest, bytes: Buffer) => {
      const coding = headers["content-encoding"]?.toLowerCase() ?? "identity";
      if (coding !== "identity")
        throw new HttpError(
          "unsupported_media_type",
          `The body must be sent as it is, not with Content-Encoding: ${coding}.`,
        );
      if (/charset *=(?! *"?utf-?8"? *(;|$))/i.test(headers["content-type"] as string))
        throw new HttpError("unsupported_media_type", "The body must be UTF-8, which is the one charset of JSON.");
      if (bytes.length === 0) throw new HttpError("invalid_body", "The body must not be empty.");
      return parseBody(bytes);
    },
  );
}

/** The text of bytes in UTF-8, with all that is there. Throws a Refusal where it is none. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpError("invalid_body", "The body must be UTF-8.");
  }
}

/** The JSON of a body. Throws a Refusal where it is none, or would be read differently by others. */
export function parseBody(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  if (text.startsWith("\ufeff")) throw new HttpError("invalid_body", "The body must not begin with a byte order mark.");
  try {
    return parseJson(text);
  } catch (error) {
    // A RangeError: so many levels that the parser's stack is used up.
    const why = error instanceof SyntaxError ? error.message : "it is nested too deeply";
    throw new HttpError("invalid_body", `The body can't be read as JSON: ${why}.`);
  }
}
