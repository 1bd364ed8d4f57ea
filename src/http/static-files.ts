// Files that are handed out from memory: who takes long to read one holds no more than a connection.
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";

/** Adds a file at `path`, with its ETag: who has it already gets 304 (RFC 9110, section 13.1.2). It needs no credential. */
export function serveFile(
  app: FastifyInstance,
  path: string,
  type: string,
  content: string | Buffer,
  headers: object,
): void {
  const bytes = Buffer.from(content); // to a text Fastify would add its charset, and linkset has none
  const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    reply.headers({ ...headers, etag, "cache-control": "no-cache" });
    const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    if (known?.includes(etag) || known?.includes("*")) return reply.code(304).send();
    return reply.header("content-type", type).send(bytes);
  });
}
