// What the HTTP parser refuses has no request: it is answered here, on the socket, in the one shape.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { HttpError } from "./errors.ts";

/** The bytes that all headers of a request may have. */
export const maxHeaderSize = 16_384;

// Not by an import, which evaluates all that node:http has, its WebSocket as well: 30 ms of each start.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

type ParserError = { code?: string; reason?: string };

/** How many requests that came by these connections have no answer yet. */
export type CountInFlight = (sockets: Iterable<Socket>) => number;

/**
 * Makes `server` answer malformed HTTP, time-outs and CONNECT, which no route can take. `always`: headers for each
 * answer. Of each it tells the status, and gives what counts the requests under way: a client that leaves takes its
 * own along, so none is counted for ever.
 */
export function handleClientErrors(
  server: Server,
  log: FastifyBaseLogger,
  always: Record<string, string>,
  tell: (status: number) => void,
): CountInFlight {
  // Of each connection, the answers that are not out yet, and the latest.
  const pending = new WeakMap<Socket, ServerResponse[]>();
  const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = pending.get(socket) ?? [];
    if (responses.length === 0) pending.set(socket, responses);
    while (responses[0]?.writableFinished) responses.shift(); // they leave in order
    responses.push(response);
  };
  server.on("request", note).on("checkContinue", note).on("checkExpectation", note);

  const refuse = (error: ParserError, socket: Socket): void => {
    const responses = pending.get(socket) ?? [];
    const broken = responses.find(({ req }) => !req.complete);
    const before = responses.filter((one) => one !== broken && !one.writableFinished).at(-1);
    // Before TLS has begun there is nobody to answer to.
    const { secureConnecting } = socket as Socket & { secureConnecting?: boolean }; // of a TLSSocket
    if (error.code === "ECONNRESET" || !socket.writable || secureConnecting) socket.destroy();
    // Answers leave in the order of their requests (RFC 9112, section 9.3.2). Prepended, since Node
    // ends the connection with the last one where the client has closed its side.
    else if (before) before.prependOnceListener("finish", () => refuse(error, socket));
    // It has its answer, or a part of it: more bytes would pass for the rest.
    else if (broken?.headersSent) socket.destroy();
    else tell(answer(error, socket, log, always));
  };
  server.removeAllListeners("clientError"); // Fastify's own, which has another shape
  server.on("clientError", refuse);
  server.on("connect", (_, socket: Socket) => {
    socket.on("error", () => socket.destroy()); // Node has taken its own listener off
    refuse({ code: "CONNECT" }, socket);
  });
  return (sockets) => {
    let count = 0;
    for (const socket of sockets)
      for (const { writableFinished } of pending.get(socket) ?? []) if (!writableFinished) count += 1;
    return count;
  };
}

function answer(error: ParserError, socket: Socket, log: FastifyBaseLogger, always: Record<string, string>): number {
  const { answer, headers } = toRefusal(error);
  const id = randomUUID();
  log.info({ reqId: id, reason: error.reason ?? error.code, status: answer.status }, "malformed request");
  const body = JSON.stringify(answer.body);
  const head = {
    ...always,
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-request-id": id,
    connection: "close",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join("")}\r\n${body}`);
  // Not end(): a client that keeps its own half open would keep the socket, and the process, alive.
  socket.destroySoon();
  return answer.status;
}

// llhttp names the reason in fixed words of its own, which hold nothing of the request.
function toRefusal({ code, reason = "it can't be parsed" }: ParserError): HttpError {
  if (code === "HPE_HEADER_OVERFLOW")
    return new HttpError(
      "headers_too_large",
      `The headers of the request are too large: at most ${maxHeaderSize} bytes.`,
    );
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new HttpError("request_timeout", "The request took too long to arrive.");
  if (code === "HPE_PAUSED_H2_UPGRADE") return new HttpError("malformed_request", "The request must be of HTTP/1.1.");
  if (code === "CONNECT") return new HttpError("malformed_request", "This service is no proxy: it has no CONNECT.");
  return new HttpError("malformed_request", `The request is not well-formed HTTP: ${reason}.`);
}
