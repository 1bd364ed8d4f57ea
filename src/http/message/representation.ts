// Selects the representation of a response: its content coding, and 304 if the client has it already.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { setHeader } from "../headers/header-syntax.ts";
import { type Coding, chooseCoding, compress, isCompressible, minCompressedSize } from "./compression.ts";
import { addCoding, isNotModified } from "./preconditions.ts";

// By preference. gzip is the smallest for small JSON at this speed.
const codings: readonly Coding[] = ["gzip", "br", "zstd"];

/**
 * Compresses responses of 1 KiB and more if the client accepts it, and evaluates the preconditions of those with an ETag: 304
 * and 412. Streams are not compressed, because a client waits for each of their items.
 */
export const representations = fp(
  async (app) => {
    const { compression } = app.edge;
    app.addHook("onSend", (request, reply, payload, done) => {
      const type = reply.getHeader("content-type") as string | undefined;
      // Fastify adds a charset, which JSON does not have (RFC 8259, section 11).
      if (type?.endsWith("json; charset=utf-8")) reply.header("content-type", type.slice(0, type.indexOf(";")));
      const { statusCode } = reply;
      if (statusCode < 200 || statusCode >= 300 || statusCode === 206 || payload === null) return done(null, payload);
      const coding = compression ? selectCoding(request, reply, type, payload) : undefined;
      try {
        if (hasCurrentContent(request, reply)) return done(null, removeContent(request, reply, payload));
      } catch (error) {
        discard(payload);
        return done(error as Error);
      }
      if (coding === undefined) return done(null, payload);
      reply.removeHeader("content-length");
      const compressed = compress(payload as string | Buffer, coding);
      if (Buffer.isBuffer(compressed)) return done(null, compressed);
      compressed.then((bytes) => done(null, bytes), done);
    });
  },
  { name: "representations", dependencies: ["error-handler"] },
);

// Also sets the headers of the coding.
function selectCoding(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  type: string | undefined,
  payload: unknown,
): Coding | undefined {
  if (!isContent(payload) || payload.length < minCompressedSize) return undefined;
  if (type === undefined || reply.hasHeader("content-encoding") || !isCompressible(type)) return undefined;
  if (canContainSecret(headers, reply)) return undefined;
  setHeader(reply, "vary", "accept-encoding");
  const coding = chooseCoding(headers["accept-encoding"], codings);
  if (coding === undefined) return undefined;
  reply.header("content-encoding", coding);
  const tag = reply.getHeader("etag") as string | undefined;
  if (tag !== undefined) reply.header("etag", addCoding(tag, coding));
  return coding;
}

// The size of a compressed response tells whether it repeats a part of the request. A page of an attacker can send requests
// with credentials that the browser adds by itself, and so guess a secret in the response (BREACH).
function canContainSecret({ cookie, authorization }: FastifyRequest["headers"], reply: FastifyReply): boolean {
  const isAddedByBrowser = cookie !== undefined || /^basic /i.test(authorization ?? "");
  return isAddedByBrowser || reply.hasHeader("set-cookie") || /no-store/.test(`${reply.getHeader("cache-control")}`);
}

function hasCurrentContent({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const tag = reply.getHeader("etag") as string | undefined;
  return tag !== undefined && (method === "GET" || method === "HEAD") && isNotModified(headers, tag);
}

// RFC 9110, section 15.4.5: the other headers stay, such as ETag, Vary and Cache-Control.
// Fastify computes the Content-Length of a response to HEAD from its payload, unless this is a stream. It would be wrong.
function removeContent({ method }: FastifyRequest, reply: FastifyReply, payload: unknown): Readable | null {
  discard(payload);
  reply.code(304);
  for (const name of ["content-type", "content-length", "content-encoding"]) reply.removeHeader(name);
  return method === "HEAD" ? Readable.from([]) : null;
}

function isContent(payload: unknown): payload is string | Buffer {
  return typeof payload === "string" || Buffer.isBuffer(payload);
}

function discard(payload: unknown): void {
  (payload as { destroy?: () => void }).destroy?.();
}
