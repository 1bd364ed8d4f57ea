// Reads request bodies into memory.
//
// Not parseAs of Fastify, which keeps any number of chunks: a body in chunks of one byte takes many times its size.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { shorten } from "../lib/index.ts";
import { HttpError } from "./errors.ts";

const maxChunks = 1_024; // of a body; each takes memory and CPU time, however small it is

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
    return chunks <= maxChunks + 1 && push.call(request, chunk, encoding); // `readBody` rejects the last one
  };
}

/**
 * Reads the body of a request. Rejects with an HttpError if it has more bytes than the route allows, or more than 1,024
 * chunks, and with the error of the stream if the client disconnects.
 */
export function readBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const { bodyLimit } = routeOptions;
  const tooLarge = () => new HttpError("content_too_large", `The body exceeds the limit of ${bodyLimit} bytes.`);
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
      else if (chunks.push(chunk) > maxChunks)
        stop(
          new HttpError("content_too_large", `The body exceeds the limit of ${maxChunks} chunks. Send larger chunks.`, {
            connection: "close", // the rest is not parsed
          }),
        );
    };
    payload
      .on("data", add)
      .once("end", () => resolve(Buffer.concat(chunks, bytes)))
      .once("error", reject);
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
