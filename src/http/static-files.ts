// Serves static files from memory.
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";

/** Serves `content` at `path` with an ETag. Responds with 304 if the client has it already (RFC 9110, section 13.1.2). */
export function serveFile(
  app: FastifyInstance,
  path: string,
  type: string,
  content: string | Buffer,
  headers: object = {},
): void {
  const bytes = Buffer.from(content); // Fastify adds a charset to strings, which application/linkset+json does not allow
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    reply.headers({ ...headers, etag, "cache-control": "no-cache" });
    const cached = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    if (cached?.includes(etag) || cached?.includes("*")) return reply.code(304).send();
    return reply.header("content-type", type).send(bytes);
  });
}
