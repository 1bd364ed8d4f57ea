// Responds to malformed HTTP, timeouts and CONNECT, which never reach a route.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import fp from "fastify-plugin";
import { HttpError } from "./errors.ts";
import { maxHeaderSize } from "./fastify.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Returns the number of requests without a complete response. */
    countInFlight(): number;
  }
}

// An import would evaluate all of node:http, including its WebSocket: 30 ms of each start.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

type ParserError = { code?: string; reason?: string };

/** The options of the plugin `clientErrors`. */
export interface ClientErrorsOptions {
  readonly log: FastifyBaseLogger;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the status of each response. */
  readonly onResponse: (status: number) => void;
}

/** Responds to requests that Node's HTTP parser rejects, in the shape of all errors, and closes their connection. */
export const clientErrors = fp<ClientErrorsOptions>(
  async (app, { log, headers, onResponse }) => {
    const { server } = app;
    const pending = new PendingResponses();
    const track = ({ socket }: IncomingMessage, response: ServerResponse) => pending.add(socket, response);
    server.on("request", track).on("checkContinue", track).on("checkExpectation", track);

    const reject = (error: ParserError, socket: Socket): void => {
      const responses = pending.of(socket);
      const incomplete = responses.find(({ req }) => !req.complete);
      const previous = responses.filter((one) => one !== incomplete && !one.writableFinished).at(-1);
      const { secureConnecting } = socket as Socket & { secureConnecting?: boolean }; // of a TLSSocket
      if (error.code === "ECONNRESET" || !socket.writable || secureConnecting) socket.destroy();
      // Responses are sent in the order of their requests (RFC 9112, section 9.3.2). The listener is prepended, because
      // Node closes the connection in its own listener if the client has half-closed it.
      else if (previous) previous.prependOnceListener("finish", () => reject(error, socket));
      // Part of a response was sent. The client would read further bytes as the rest of it.
      else if (incomplete?.headersSent) socket.destroy();
      else onResponse(respond(error, socket, log, headers));
    };
    server.removeAllListeners("clientError"); // Fastify's listener responds in another shape
    server.on("clientError", reject);
    server.on("connect", (_, socket: Socket) => {
      socket.on("error", () => socket.destroy()); // Node has removed its own listener
      reject({ code: "CONNECT" }, socket);
    });
    app.decorate("countInFlight", () => pending.count(app.openSockets));
  },
  { name: "client-errors", dependencies: ["connections"] },
);

// The unfinished responses of each connection, in order. A connection that is closed takes its responses along.
class PendingResponses {
  readonly #responses = new WeakMap<Socket, ServerResponse[]>();

  add(socket: Socket, response: ServerResponse): void {
    const responses = this.#responses.get(socket) ?? [];
    if (responses.length === 0) this.#responses.set(socket, responses);
    while (responses[0]?.writableFinished) responses.shift();
    responses.push(response);
  }

  of(socket: Socket): readonly ServerResponse[] {
    return this.#responses.get(socket) ?? [];
  }

  count(sockets: Iterable<Socket>): number {
    let count = 0;
    for (const socket of sockets) for (const { writableFinished } of this.of(socket)) if (!writableFinished) count += 1;
    return count;
  }
}

function respond(
  error: ParserError,
  socket: Socket,
  log: FastifyBaseLogger,
  commonHeaders: Readonly<Record<string, string>>,
): number {
  const { response, headers } = toHttpError(error);
  const id = randomUUID();
  log.info({ reqId: id, reason: error.reason ?? error.code, status: response.status }, "malformed request");
  const body = JSON.stringify(response.body);
  const head = {
    ...commonHeaders,
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-request-id": id,
    connection: "close",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${lines.join("")}\r\n${body}`);
  // Not end(): a client that keeps its side open would keep the socket and the process alive.
  socket.destroySoon();
  return response.status;
}

// The reasons are fixed texts of llhttp that quote nothing of the request.
function toHttpError({ code, reason = "it can't be parsed" }: ParserError): HttpError {
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
