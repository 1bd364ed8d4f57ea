// The media type of a response, if the handler does not set it.
import type { FastifyRequest } from "fastify";
import { HttpError } from "../../../http/index.ts";
import { findFormat, isBinary, isIterable } from "../../wire/body-formats.ts";
import { isItemStream } from "../../wire/item-streams.ts";
import { negotiate, selectMediaType } from "../../wire/media-types.ts";
import type { Declaration } from "./declaration.ts";

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
  return findFormat(mediaType).canWrite(body);
}

function isWithin(mediaType: string, range: string): boolean {
  return range.includes("*") && selectMediaType([range], mediaType) !== undefined;
}

/** Creates the failure of a request that accepts none of the media types. */
export function notAcceptable(mediaTypes: readonly string[]): HttpError {
  return new HttpError("not_acceptable", `This operation responds with ${mediaTypes.join(" or ")}.`);
}

// The media type of a body that the document does not declare.
function typeOf(body: unknown): string {
  if (isBinary(body)) return "application/octet-stream";
  if (typeof body === "string") return "text/plain";
  return isIterable(body) ? "application/jsonl" : jsonType;
}

const jsonType = "application/json";

/** Returns the type of JSON text: application/json, unless only others are declared, such as application/vnd.api+json. */
export function jsonTypeOf(declaration: Declaration | undefined): string {
  if (declaration === undefined || declaration.contents.has(jsonType)) return jsonType;
  const declared = [...declaration.contents.keys()];
  if (selectMediaType(declared, jsonType) !== undefined) return jsonType;
  return declared.find((one) => /^application\/[\w.-]+\+json$/.test(one)) ?? jsonType;
}
