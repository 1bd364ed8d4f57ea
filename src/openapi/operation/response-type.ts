// The media type of a response, if the handler does not set it.
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { HttpError } from "../../http/index.ts";
import { formatOf, isItemStream, negotiate, selectMediaType } from "../wire/index.ts";

/**
 * Returns the declared media type that the client prefers, of those that the body can have. Throws an HttpError (406) if the
 * client accepts none of several, and an Error if the document has only a range.
 */
export function chooseType(
  declared: readonly string[],
  status: number,
  body: unknown,
  { method, headers: { accept } }: FastifyRequest,
): string {
  const available = declared.filter((mediaType) => canHave(body, mediaType));
  const accepted = negotiate(available, accept);
  // Not after a change, of which the client must learn.
  if (
    accepted === undefined &&
    available.length > 0 &&
    declared.length > 1 &&
    status < 300 &&
    /^(GET|HEAD)$/.test(method)
  )
    throw notAcceptable(available);
  const mediaType = accepted ?? available[0] ?? declared[0] ?? typeOf(body);
  if (!mediaType.includes("*")) return mediaType;
  if (isWithin(typeOf(body), mediaType)) return typeOf(body);
  throw new Error(`The handler must return the type of the body, one of ${mediaType}.`);
}

// Whether a handler can return this body for a declared media type or range.
function canHave(body: unknown, mediaType: string): boolean {
  if (isItemStream(mediaType, body) || isWithin(typeOf(body), mediaType)) return true;
  switch (formatOf(mediaType)) {
    case "json":
      return !isBinary(body) && !isIterable(body);
    case "text":
      return isBinary(body) || typeof body !== "object";
    default:
      return isBinary(body) || typeof body === "string";
  }
}

function isWithin(mediaType: string, range: string): boolean {
  return range.includes("*") && selectMediaType([range], mediaType) !== undefined;
}

/** Creates the failure of a request that accepts none of the media types. */
export function notAcceptable(mediaTypes: readonly string[]): HttpError {
  return new HttpError("not_acceptable", `This operation responds with ${mediaTypes.join(" or ")}.`);
}

function isIterable(body: unknown): boolean {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

// The media type of a body that the document does not declare.
function typeOf(body: unknown): string {
  if (isBinary(body)) return "application/octet-stream";
  if (typeof body === "string") return "text/plain";
  return isIterable(body) ? "application/jsonl" : "application/json";
}

/** Returns whether a body is bytes or a stream. */
export function isBinary(body: unknown): body is Readable | ReadableStream | Uint8Array {
  return body instanceof Readable || body instanceof ReadableStream || body instanceof Uint8Array;
}

const internals = ["then", "pipe", Symbol.iterator, Symbol.asyncIterator];

/**
 * Returns whether a body is a value that JSON.stringify writes as its content. Of streams, promises, collections and other
 * objects of Node, it would write the internals, or nothing.
 */
export function isJsonValue(body: unknown): boolean {
  if (typeof body === "function" || typeof body === "symbol") return false;
  if (typeof body !== "object" || body === null || Array.isArray(body) || "toJSON" in body)
    return !Buffer.isBuffer(body);
  if (ArrayBuffer.isView(body) || body instanceof Error) return false;
  const isOpaque = Object.prototype.toString.call(body) !== "[object Object]" && Object.keys(body).length === 0;
  return !(isOpaque || internals.some((name) => typeof Reflect.get(body, name) === "function"));
}
