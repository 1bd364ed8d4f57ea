// Serves static files from memory. Not @fastify/static, which serves only files on the disk.
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";

/**
 * Serves `content` at `path` with an ETag. Responds with 304 if the client's cached copy is current (RFC 9110, section
 * 13.1.2). `type` is the media type, and `headers` are further headers.
 */
export function serveFile(
  app: FastifyInstance,
  path: string,
  type: string,
  content: string | Buffer,
  headers: object = {},
): void {
  // Fastify adds a charset to the type of strings, which application/linkset+json does not allow.
  const bytes = Buffer.from(content);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    reply.headers({ ...headers, etag, "cache-control": "no-cache" });
    const cached = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    if (cached?.includes(etag) || cached?.includes("*")) return reply.code(304).send();
    return reply.header("content-type", type).send(bytes);
  });
}
