// Serves static files from memory. Not @fastify/static, which serves only files on the disk.
import { extname } from "node:path";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setHeader } from "../headers/header-syntax.ts";
import { type Coding, chooseCoding, compressOnce, isCompressible, minCompressedSize } from "./compression.ts";
import { addCoding, createTag } from "./preconditions.ts";

const chunkSize = 65_536; // bytes that a connection holds until the client reads them

/** A file that is served. */
export interface StaticFile {
  readonly path: string;
  /** The media type. By default, that of the extension of the path. */
  readonly type?: string;
  /** Content that is expensive to create is a function, called for the first request. */
  readonly content: string | Buffer | (() => string | Buffer | Promise<string | Buffer>);
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
};

// By preference: brotli makes the smallest files.
const codings: readonly Coding[] = ["br", "zstd", "gzip"];

/**
 * Serves a file with an ETag, of which the plugin `representations` evaluates preconditions. A file that is compressed is
 * compressed once.
 */
export function serveFile(app: FastifyInstance, file: StaticFile): void {
  const { path, type = mediaTypes[extname(path)], content, headers = {} } = file;
  if (type === undefined) throw new Error(`The file ${path} needs a media type.`);
  let bytes: Buffer | undefined;
  let tag: string;
  const compressed = new Map<Coding, Promise<Buffer>>();
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    if (bytes === undefined) {
      bytes = Buffer.from(typeof content === "function" ? await content() : content);
      tag = createTag(bytes);
    }
    reply.headers({ ...headers, "content-type": type, "cache-control": "no-cache" });
    const isVariable = app.edge.compression && bytes.length >= minCompressedSize && isCompressible(type);
    if (isVariable) setHeader(reply, "vary", "accept-encoding");
    const coding = isVariable ? chooseCoding(request.headers["accept-encoding"], codings) : undefined;
    if (coding === undefined) return send(request, reply.header("etag", tag), bytes);
    const result = compressed.get(coding) ?? compressOnce(bytes, coding);
    compressed.set(coding, result);
    result.catch(() => compressed.delete(coding)); // so that the next request tries again
    reply.headers({ etag: addCoding(tag, coding), "content-encoding": coding });
    return send(request, reply, await result);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, bytes: Buffer): FastifyReply {
  reply.header("content-length", bytes.length);
  return reply.send(bytes.length > chunkSize ? Readable.from(toChunks(request, bytes)) : bytes);
}

// Each chunk waits for its turn, so that many downloads do not delay the requests of other clients.
async function* toChunks(request: FastifyRequest, bytes: Buffer): AsyncIterable<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkSize) {
    await request.server.edge.protection?.shedding.waitForTurn(request);
    yield bytes.subarray(start, start + chunkSize);
  }
}
