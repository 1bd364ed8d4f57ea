// Serves static files from memory. Not @fastify/static, which serves only files on the disk.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpError } from "./errors.ts";

const chunkSize = 65_536; // bytes that a connection holds until the client reads them

/** A file that is served. */
export interface StaticFile {
  readonly path: string;
  /** The media type. */
  readonly type: string;
  /** Content that is expensive to create is a function, called for the first request. */
  readonly content: string | Buffer | (() => string | Buffer);
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Serves a file with an ETag. Evaluates If-Match (412) and If-None-Match (304) in the order of RFC 9110, section 13.2.2.
 * There is no modification date, so that If-Unmodified-Since must be ignored (section 13.1.4).
 */
export function serveFile(app: FastifyInstance, { path, type, content, headers = {} }: StaticFile): void {
  let file: { bytes: Buffer; etag: string } | undefined;
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    file ??= createFile(typeof content === "function" ? content() : content);
    const { bytes, etag } = file;
    const { "if-match": expected, "if-none-match": cached } = request.headers;
    if (expected !== undefined && !hasTag(expected, etag))
      throw new HttpError(
        "precondition_failed",
        "The If-Match header does not have the ETag of this resource. Request it without If-Match.",
      );
    reply.headers({ ...headers, etag, "cache-control": "no-cache" });
    if (cached !== undefined && hasTag(cached, etag, `W/${etag}`)) return reply.code(304).send();
    reply.headers({ "content-type": type, "content-length": bytes.length });
    return reply.send(bytes.length > chunkSize ? Readable.from(toChunks(request, bytes)) : bytes);
  });
}

// Returns whether a list of entity tags has one of `tags`, or is "*".
function hasTag(list: string, ...tags: readonly string[]): boolean {
  return list.split(",").some((item) => item.trim() === "*" || tags.includes(item.trim()));
}

function createFile(content: string | Buffer) {
  // Bytes, because Fastify adds a charset to the type of strings, which application/linkset+json does not allow.
  const bytes = Buffer.from(content);
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
}

// Each chunk waits for its turn, so that many downloads do not delay the requests of other clients.
async function* toChunks(request: FastifyRequest, bytes: Buffer): AsyncIterable<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkSize) {
    await request.server.waitForTurn?.(request); // an app that uses the plugin openApi has no load shedding
    yield bytes.subarray(start, start + chunkSize);
  }
}
