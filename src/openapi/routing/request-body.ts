// Reads the bodies of requests by their media types.
import type { IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import type { FastifyRequest, preParsingHookHandler, preValidationHookHandler } from "fastify";
import fp from "fastify-plugin";
import { HttpError, InvalidRequest, yieldBetweenChunks } from "../../http/index.ts";
import { ByteBuffer, InvalidValue, shorten } from "../../lib/index.ts";
import { type BodyContent, RawBody, toInvalidRequest } from "../operation/index.ts";
import { checkMediaType } from "../wire/index.ts";

async function readContent(request: FastifyRequest, payload: IncomingMessage, content: BodyContent): Promise<unknown> {
  const { server, headers } = request;
  const { read, isText } = content.format;
  const contentType = headers["content-type"] as string;
  if (read === undefined) {
    await server.waitForTurn?.(request);
    checkContentCoding(headers["content-encoding"]);
    return streamBody(request, payload);
  }
  const bytes = await collectBody(request, payload);
  await server.waitForTurn?.(request); // the time of parsing counts as the client's
  checkContentCoding(headers["content-encoding"]);
  const admit = (text: Buffer) => server.shedBody?.(text);
  if (isText) {
    checkMediaType(contentType);
    const admitted = admit(bytes);
    if (admitted) await admitted; // only then, because each await takes time
  }
  return read(bytes, { contentType, encoding: content.encoding, admit });
}

/**
 * Reads the body of a request. Not `parseAs` of Fastify, which keeps any number of chunks: a body in chunks of one byte takes
 * many times its size. Rejects with an HttpError if it has more bytes than the route allows, and with the error of
 * the stream if the client disconnects.
 */
function collectBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
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
function streamBody({ headers, routeOptions }: FastifyRequest, payload: IncomingMessage): Readable {
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
function checkContentCoding(value = ""): void {
  const codings = value.split(",").map((name) => name.trim());
  const coding = codings.find((name) => name !== "" && name.toLowerCase() !== "identity");
  if (coding !== undefined)
    throw new HttpError(
      "unsupported_media_type",
      `The Content-Encoding ${shorten(coding)} is not supported. Send the body without Content-Encoding.`,
    );
}

/** Reads the bodies of all operations by their media types. Responds with 415 to other media types. */
export const bodies = fp(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
      // Some clients send a Content-Type with each request, also without a body.
      const { "content-length": length, "transfer-encoding": coding } = request.headers;
      if (coding === undefined && length === undefined) return undefined;
      const isRequired = request.routeOptions.config.operation?.body?.required;
      const isForm = request.mediaType === "application/x-www-form-urlencoded"; // it can be empty
      if (length === "0" && !isRequired && !isForm) return undefined;
      const content = selectContent(request);
      try {
        yieldBetweenChunks(request.raw, () => request.server.waitForTurn(request, true));
        return new RawBody(content, await readContent(request, payload, content));
      } catch (error) {
        throw error instanceof InvalidValue ? toInvalidRequest([error], "body", "field") : error;
      }
    });
  },
  { name: "bodies", dependencies: ["error-handler"] },
);

// The headers with the media types that a method accepts (Linked Data Platform, section 7.1; RFC 5789, section 3.1).
const acceptHeaders: Readonly<Record<string, string>> = { POST: "accept-post", PATCH: "accept-patch" };

function selectContent({ method, mediaType, headers, routeOptions }: FastifyRequest): BodyContent {
  const body = routeOptions.config.operation?.body;
  const content = mediaType === undefined ? undefined : body?.select(headers["content-type"] as string);
  if (content) return content;
  if (body === undefined) throw new HttpError("unsupported_media_type", "This operation accepts no body.");
  const { mediaTypes } = body;
  const message = `The Content-Type of the body must be ${mediaTypes.join(" or ")}.`;
  const acceptHeader = acceptHeaders[method];
  throw new HttpError("unsupported_media_type", message, acceptHeader ? { [acceptHeader]: mediaTypes.join(", ") } : {});
}

/**
 * Rejects a malformed Content-Type, which Fastify would not parse. Responds with 100 to clients that wait for it before
 * they send the body (RFC 9110, section 10.1.1).
 */
export const prepareBody: preParsingHookHandler = (request, reply, _payload, done) => {
  const { raw, headers, routeOptions, mediaType, server } = request;
  if (headers["content-type"] !== undefined && mediaType === undefined) selectContent(request);
  const isWaiting = /\b100-continue\b/i.test(headers.expect ?? "") && raw.httpVersion !== "1.0";
  const hasContinued = server.server.listenerCount("checkContinue") === 0; // Node has, in an existing app
  if (isWaiting && !hasContinued && !(Number(headers["content-length"]) > routeOptions.bodyLimit))
    reply.raw.writeContinue();
  done();
};

/** Rejects a request without a body. */
export const requireBody: preValidationHookHandler = (request, _reply, done) =>
  done(
    request.body === undefined
      ? new InvalidRequest([{ location: "body", name: "", message: "The request must have a body." }])
      : undefined,
  );
