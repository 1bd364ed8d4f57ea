// Reads request bodies: into memory, or as a stream.
//
// Not parseAs of Fastify, which keeps any number of chunks: a body in chunks of one byte takes many times its size.
import type { IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import type { FastifyRequest } from "fastify";
import { shorten } from "../lib/index.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import { HttpError } from "./errors.ts";

/**
 * Reads the body of a request. Rejects with an HttpError if it has more bytes than the route allows, and with the error of
 * the stream if the client disconnects.
 */
export function readBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const { bodyLimit } = routeOptions;
  if (Number(headers["content-length"]) > bodyLimit) return Promise.reject(exceedsLimit(bodyLimit));
  return new Promise((resolve, reject) => {
    const bytes = new ByteBuffer();
    const add = (chunk: Buffer) => {
      if (bytes.length + chunk.length <= bodyLimit) return bytes.append(chunk);
      payload.off("data", add); // the rest is read and ignored
      reject(exceedsLimit(bodyLimit));
    };
    payload
      .on("data", add)
      .once("end", () => resolve(bytes.take()))
      .once("error", reject);
  });
}

/**
 * Returns the body of a request as a stream. It fails with an HttpError if it has more bytes than
 * the route allows. Throws an HttpError if its length is known to exceed the limit.
 */
export function streamBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage): Readable {
  const { bodyLimit } = routeOptions;
  if (Number(headers["content-length"]) > bodyLimit) throw exceedsLimit(bodyLimit);
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      done(bytes > bodyLimit ? exceedsLimit(bodyLimit) : null, chunk);
    },
  });
  limit.on("error", () => {}); // a handler can ignore the body; an error without a listener would end the process
  payload.once("error", (error) => limit.destroy(error));
  // The rest is read and ignored, so that the next request of the connection can be read.
  limit.once("close", () => payload.unpipe(limit).resume());
  return payload.pipe(limit);
}

function exceedsLimit(bytes: number): HttpError {
  return new HttpError("content_too_large", `The body exceeds the limit of ${bytes} bytes.`);
}

/**
 * Throws an HttpError if a body has a content coding. An empty value or element means none (RFC 9110, sections 5.6.1 and
 * 8.4).
 */
export function checkContentCoding(value = ""): void {
  const codings = value.split(",").map((name) => name.trim());
  const coding = codings.find((name) => name !== "" && name.toLowerCase() !== "identity");
  if (coding !== undefined)
    throw new HttpError(
      "unsupported_media_type",
      `The Content-Encoding ${shorten(coding)} is not supported. Send the body without Content-Encoding.`,
    );
}
