// Reads request bodies into memory.
//
// Not parseAs of Fastify, which keeps any number of chunks: a body in chunks of one byte takes many times its size.
import type { IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import type { FastifyRequest } from "fastify";
import { shorten } from "../lib/index.ts";
import { HttpError } from "./errors.ts";

const maxChunks = 1_024; // of a body in memory; each takes memory and CPU time, however small it is
const incomplete = new WeakSet<IncomingMessage>(); // requests of which chunks were dropped

/**
 * Stops reading from a connection when more than 1,024 chunks of a body wait to be read. Node stops only when 64 KiB wait,
 * and a chunk of one byte takes a hundred times its size. A listener of the server's requests.
 */
export function limitWaitingChunks(request: IncomingMessage): void {
  let chunks = 0;
  const { push } = request;
  request.push = (chunk, encoding) => {
    if (chunk === null) return push.call(request, chunk);
    chunks += 1;
    if (chunks <= maxChunks + 1) return push.call(request, chunk, encoding); // `readBody` rejects the last one
    incomplete.add(request);
    return false;
  };
}

/**
 * Reads the body of a request. Rejects with an HttpError if it has more bytes than the route allows, or more than 1,024
 * chunks, and with the error of the stream if the client disconnects.
 */
export function readBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const { bodyLimit } = routeOptions;
  const tooLarge = () => exceedsLimit(bodyLimit);
  if (Number(headers["content-length"]) > bodyLimit) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (error: HttpError) => {
      payload.off("data", add); // the rest is read and ignored
      reject(error);
    };
    const add = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bodyLimit) stop(tooLarge());
      else if (chunks.push(chunk) > maxChunks) stop(hasTooManyChunks());
    };
    payload
      .on("data", add)
      .once("end", () => resolve(Buffer.concat(chunks, bytes)))
      .once("error", reject);
  });
}

/**
 * Returns the body of a request as a stream, of any number of chunks. It fails with an HttpError if it has more bytes than
 * the route allows. Throws an HttpError if its length is known to exceed the limit.
 */
export function streamBody({ headers, raw, routeOptions }: FastifyRequest, payload: IncomingMessage): Readable {
  const { bodyLimit } = routeOptions;
  if (Number(headers["content-length"]) > bodyLimit) throw exceedsLimit(bodyLimit);
  if (incomplete.has(raw)) throw hasTooManyChunks();
  delete (raw as Partial<IncomingMessage>).push; // added by `limitWaitingChunks`: they wait no longer
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

function hasTooManyChunks(): HttpError {
  return new HttpError("content_too_large", `The body exceeds the limit of ${maxChunks} chunks. Send larger chunks.`, {
    connection: "close", // the rest is not parsed
  });
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
