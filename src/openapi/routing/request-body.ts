// Reads the bodies of requests by their media types.
import type { IncomingMessage } from "node:http";
import { type Readable, Transform } from "node:stream";
import type { FastifyRequest, preParsingHookHandler } from "fastify";
import fp from "fastify-plugin";
import { HttpError, type Protection, yieldBetweenChunks } from "../../http/index.ts";
import { ByteBuffer, InvalidValue } from "../../lib/index.ts";
import { type BodyContent, RawBody } from "../operation/body.ts";
import { toInvalidRequest } from "../operation/invalid-request.ts";
import { checkMediaType, isJson } from "../wire/media-types.ts";
import { decodeContent, isCodingError, limitBytes } from "./content-codings.ts";

const maxEmptyBytes = 100; // of a body that says nothing, such as "{}"

async function readContent(
  request: FastifyRequest,
  payload: IncomingMessage,
  content: BodyContent,
  protection: Protection | undefined,
): Promise<RawBody | undefined> {
  const { headers } = request;
  const { read, isText, readAsTexts } = content.format;
  const contentType = headers["content-type"] as string;
  const { bodyLimit } = request.routeOptions;
  // Before the body is read. That of a content coding is not known before.
  if (Number(headers["content-length"]) > bodyLimit) throw exceedsLimit(bodyLimit);
  const body = decodeContent(payload, headers["content-encoding"], bodyLimit, () => exceedsLimit(bodyLimit));
  if (read === undefined) {
    await protection?.shedding.waitForTurn(request);
    return new RawBody(content, streamBody(request, body));
  }
  const bytes = await collectBody(request, body);
  await protection?.shedding.waitForTurn(request); // the time of parsing counts as the client's
  if (bytes.length === 0 && canBeMissing(request)) return undefined;
  const admit = (text: Buffer) => protection?.shedding.shedBody(text);
  if (isText) {
    checkMediaType(contentType);
    const admitted = admit(bytes);
    if (admitted) await admitted; // only then, because each await takes time
  }
  const { encoding } = content;
  const value = await read(bytes, { contentType, encoding, admit });
  const hasUnions = readAsTexts !== undefined && encoding().shape.hasUnions;
  return new RawBody(content, value, hasUnions ? () => readAsTexts(bytes, encoding()) : undefined);
}

// An empty form is a form, and an empty text a text. The route rejects what must not be missing.
function canBeMissing({ routeOptions, mediaType = "" }: FastifyRequest): boolean {
  if (isJson(mediaType)) return true;
  return !routeOptions.config.operation?.body?.required && mediaType !== "application/x-www-form-urlencoded";
}

/**
 * Reads the body of a request. Not `parseAs` of Fastify, which keeps any number of chunks: a body in chunks of one byte takes
 * many times its size. Rejects with an HttpError if it has more bytes than `bodyLimit`, by default that of the route, with an
 * InvalidValue if it is not in its content coding, and with the error of the stream if the client disconnects.
 */
export function collectBody(
  { headers, routeOptions }: FastifyRequest,
  payload: Readable,
  bodyLimit = routeOptions.bodyLimit,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = new ByteBuffer();
    const add = (chunk: Buffer) => {
      if (bytes.length + chunk.length <= bodyLimit) return bytes.append(chunk);
      payload.off("data", add); // the rest is read and ignored
      if (payload instanceof Transform) payload.destroy();
      reject(exceedsLimit(bodyLimit));
    };
    payload
      .on("data", add)
      .once("end", () => resolve(bytes.take()))
      .once("error", (error) => reject(isCodingError(error) ? describeCoding(headers) : error));
  });
}

/**
 * Returns the body of a request as a stream. It fails with an HttpError if it has more bytes than the route allows, or is not in its
 * content coding.
 */
function streamBody({ headers, routeOptions }: FastifyRequest, payload: Readable): Readable {
  const { bodyLimit } = routeOptions;
  const toBodyError = (error: Error) =>
    isCodingError(error) ? toInvalidRequest([describeCoding(headers)], "body", "field") : error;
  return limitBytes(payload, bodyLimit, () => exceedsLimit(bodyLimit), toBodyError);
}

function describeCoding({ "content-encoding": coding }: FastifyRequest["headers"]): InvalidValue {
  return new InvalidValue(`must be valid ${coding}, as its Content-Encoding says`);
}

function exceedsLimit(bytes: number): HttpError {
  return new HttpError("content_too_large", `The body exceeds the limit of ${bytes} bytes.`);
}

/** Reads the bodies of all operations by their media types. Responds with 415 to other media types. */
export const bodies = fp(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
      // Some clients send a Content-Type with each request, also without a body.
      const { "content-length": length, "transfer-encoding": coding } = request.headers;
      if (coding === undefined && length === undefined) return undefined;
      const { operation, ignoresBody } = request.routeOptions.config;
      if (ignoresBody) return void payload.resume();
      const body = operation?.body;
      if (length === "0" && canBeMissing(request)) return undefined;
      if (body === undefined) return rejectContent(request, payload);
      const content = selectContent(request);
      try {
        const { protection } = request.server.edge;
        if (protection) yieldBetweenChunks(request.raw, () => protection.shedding.waitForTurn(request, true));
        return await readContent(request, payload, content, protection);
      } catch (error) {
        throw error instanceof InvalidValue ? toInvalidRequest([error], "body", "field") : error;
      }
    });
  },
  { name: "bodies", dependencies: ["error-handler"] },
);

// The headers with the media types that a method accepts (Linked Data Platform, section 7.1; RFC 5789, section 3.1).
const acceptHeaders: Readonly<Record<string, string>> = { POST: "accept-post", PATCH: "accept-patch" };

// Generated clients send an empty object if there is nothing to send.
async function rejectContent(request: FastifyRequest, payload: IncomingMessage): Promise<undefined> {
  const bytes = await collectBody(request, payload, maxEmptyBytes).catch(() => selectContent(request));
  if (!["", "{}"].includes(`${bytes}`.replaceAll(/\s/g, ""))) selectContent(request);
}

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
 * Rejects a malformed Content-Type, which Fastify would not parse, unless there is no body. Responds with 100 to clients that wait for it before
 * they send the body (RFC 9110, section 10.1.1).
 */
export const prepareBody: preParsingHookHandler = (request, reply, _payload, done) => {
  const { raw, headers, routeOptions, mediaType, server } = request;
  const { operation: { body } = {}, ignoresBody } = routeOptions.config;
  const { "content-length": length = "0", "transfer-encoding": coding, "content-type": type } = headers;
  const isEmpty = coding === undefined && length === "0";
  if (ignoresBody || (mediaType === undefined && (type === "" || isEmpty))) delete raw.headers["content-type"];
  if (body !== undefined && headers["content-type"] !== undefined && mediaType === undefined) selectContent(request);
  const isWaiting = /\b100-continue\b/i.test(headers.expect ?? "") && raw.httpVersion !== "1.0";
  const hasContinued = server.server.listenerCount("checkContinue") === 0; // Node has, in an existing app
  if (isWaiting && !hasContinued && !(Number(headers["content-length"]) > routeOptions.bodyLimit))
    reply.raw.writeContinue();
  done();
};
