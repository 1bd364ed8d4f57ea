// Responds to malformed HTTP, timeouts and CONNECT, which never reach a route.
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import fp from "fastify-plugin";
import { STATUS_CODES } from "../../lib/index.ts";
import { discardInput } from "../../patches/socket-input.ts";
import { type FormatFailure, writeFailure } from "../failure/failure-format.ts";
import { HttpError, type HttpErrorCode } from "../failure/http-error.ts";
import { maxHeaderSize } from "../headers/header-syntax.ts";
import { responsesOf } from "./pipelining.ts";

// `rawPacket` has the bytes that were parsed last; `bytesParsed` is the position of the error in them.
type ParserError = { code?: string; reason?: string; rawPacket?: Buffer; bytesParsed?: number };

// A method (RFC 9110, section 9.1) and the beginning of its target, at the position of the error.
const noMethod = /[^\w!#$%&'*+.^`|~-]/;
const methodAndTarget = /^[\w!#$%&'*+.^`|~-]+ (?:\/|\*|https?:)/i;
const maxMethod = 32; // bytes that are read, before and after the position

/** A request that Node's HTTP parser rejected. */
export interface MalformedRequest {
  readonly reqId: string;
  readonly reason: string | undefined;
  /** The status and the error code of the response. */
  readonly status: number;
  readonly code: string;
}

export interface ClientErrorsOptions {
  /** Logs a malformed request, and counts its response. */
  readonly log: (line: MalformedRequest) => void;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The Link header of error responses. */
  readonly links?: string | undefined;
  /** The shape of error responses. */
  readonly format?: FormatFailure | undefined;
}

/** Responds to requests that Node's HTTP parser rejects, in the shape of all errors, and closes their connection. */
export const clientErrors = fp<ClientErrorsOptions>(
  async (app, options) => {
    const { server } = app;
    const onFormatError = (err: Error) => app.log.error({ err }, "failed to format an error");
    const reject = (error: ParserError, socket: Socket): void => {
      if (socket.writableEnded) return; // the last response has been sent
      if (error.code === "ECONNRESET" || !socket.writable || isHandshaking(socket)) {
        socket.destroy();
        return;
      }
      discardInput(socket);
      // The response to the final request closes the connection. No other one may follow it (RFC 9112, section 9.6).
      if (error.code === "HPE_CLOSED_CONNECTION") return;
      const responses = responsesOf(socket);
      const incomplete = responses.find(({ req }) => !req.complete); // the response to the malformed request itself
      const previous = responses.findLast((response) => response !== incomplete && !response.writableFinished);
      // Responses are sent in the order of their requests (RFC 9112, section 9.3.2). The listener is prepended, because
      // Node's own listener closes the connection if the client has half-closed it.
      if (previous) previous.prependOnceListener("finish", () => reject(error, socket));
      // The client would read an error response as the rest of the response that was begun.
      else if (incomplete?.headersSent) socket.destroy();
      else respond(error, socket, { ...options, onFormatError });
    };
    server.on("clientError", reject);
    server.on("connect", (_, socket: Socket) => {
      socket.on("error", () => socket.destroy()); // Node has removed its own listener
      reject({ code: "CONNECT" }, socket);
    });
  },
  { name: "client-errors", dependencies: ["pipelining"] },
);

function isHandshaking(socket: Socket & { secureConnecting?: boolean }): boolean {
  return socket.secureConnecting === true; // a property of TLSSocket
}

function respond(
  error: ParserError,
  socket: Socket,
  { log, headers, links, format, onFormatError }: ClientErrorsOptions & { onFormatError: (error: Error) => void },
): void {
  const { status, body } = toHttpError(error).response;
  const id = randomUUID();
  log({ reqId: id, reason: error.reason ?? error.code, status, code: body.code });
  const failed = { requestId: id, request: undefined, error: undefined };
  const { type, text } = writeFailure(body, failed, format, onFormatError);
  const head = {
    ...headers,
    ...(links !== undefined && { link: links }),
    date: new Date().toUTCString(),
    "cache-control": "no-store",
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "x-request-id": id,
    connection: "close",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
  socket.destroySoon();
}

// The responses to errors, by their codes.
const rejections: Readonly<Record<string, readonly [HttpErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: ["headers_too_large", `The request headers exceed the limit of ${maxHeaderSize} bytes.`],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request took too long to arrive."],
  HPE_PAUSED_H2_UPGRADE: ["malformed_request", "The request must use HTTP/1.1."],
  CONNECT: ["malformed_request", "This service is not a proxy and does not support CONNECT."],
};

// The reasons are fixed texts of llhttp, which quote nothing of the request.
function toHttpError(error: ParserError): HttpError {
  const { code, reason = "it can't be parsed" } = error;
  if (code === "HPE_INVALID_METHOD" && hasMethod(error as Required<ParserError>))
    return new HttpError("not_implemented", "The service does not support the method of the request.");
  const other = ["malformed_request", `The request is not well-formed HTTP: ${reason}.`] as const;
  return new HttpError(...(rejections[`${code}`] ?? other));
}

// Whether a request line that Node's parser rejects begins with a method, which the parser does not know.
function hasMethod({ rawPacket, bytesParsed }: Required<ParserError>): boolean {
  const before = rawPacket.toString("latin1", bytesParsed - maxMethod, bytesParsed);
  const after = rawPacket.toString("latin1", bytesParsed, bytesParsed + maxMethod);
  return methodAndTarget.test(before.split(noMethod).at(-1) + after);
}
