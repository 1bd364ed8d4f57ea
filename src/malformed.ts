// What the HTTP parser refuses has no request: it is answered here, on the socket, in the one shape.
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { Refusal } from "./errors.ts";

type ParserError = { code?: string; reason?: string };

/** Makes `server` answer malformed HTTP, time-outs and CONNECT, which no route can take. */
export function answerMalformed(server: Server, log: FastifyBaseLogger): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  const note = (request: IncomingMessage, response: ServerResponse) => latest.set(request.socket, response);
  server.on("request", note).on("checkContinue", note).on("checkExpectation", note);

  server.removeAllListeners("clientError"); // Fastify's own, which has another shape
  server.on("clientError", (error: ParserError, socket: Socket) => {
    const response = latest.get(socket);
    const underWay = response !== undefined && !response.writableFinished;
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    // Bytes in the midst of an answer would pass for a part of it.
    else if (underWay && response.headersSent) socket.destroy();
    // The request before the malformed one is whole: its answer comes first.
    else if (underWay && response.req.complete) response.once("finish", () => answer(error, socket, log));
    else answer(error, socket, log);
  });
  server.on("connect", (_, socket: Socket) => answer({ code: "CONNECT" }, socket, log));
}

function answer(error: ParserError, socket: Socket, log: FastifyBaseLogger): void {
  const { answer, headers } = toRefusal(error);
  const id = randomUUID();
  log.info({ reqId: id, reason: error.reason ?? error.code, status: answer.status }, "malformed request");
  const body = JSON.stringify(answer.body);
  const head = {
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
}

// llhttp names the reason in fixed words of its own, which hold nothing of the request.
function toRefusal({ code, reason = "it can't be parsed" }: ParserError): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return new Refusal("headers_too_large", "The headers of the request are too large: at most 16384 bytes.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Refusal("request_timeout", "The request took too long to arrive.");
  if (code === "CONNECT") return new Refusal("malformed_request", "This service is no proxy: it has no CONNECT.");
  return new Refusal("malformed_request", `The request is not well-formed HTTP: ${reason}.`);
}
