// Pipelining (RFC 9112, section 9.3.2): handles the requests of a connection one after the other. Node would start all
// that it has read, up to 64 KB of requests, and keep all of their responses in memory until the client reads them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import fp from "fastify-plugin";

const maxPipelined = 128; // requests of a connection without a response; further ones are not executed
const highWaterMark = 16; // requests of a connection without a response at which it is no longer read

declare module "fastify" {
  interface FastifyInstance {
    /** Returns the responses of a connection, in order, without those that were sent to completely received requests. */
    responsesOf(socket: Socket): readonly ServerResponse[];
    /** Returns the number of requests without a complete response. */
    countInFlight(): number;
  }
}

/**
 * Starts a request only after the response to the previous one of its connection has been sent. Stops reading from a
 * connection with 16 requests without a response. Of more than 128, which can arrive at once, executes only the first,
 * and closes the connection after their responses, so that the client knows which requests it can repeat.
 */
export const pipelining = fp(
  async (app) => {
    const { server } = app;
    const pending = new PendingResponses();
    const track = ({ socket }: IncomingMessage, response: ServerResponse) => pending.add(socket, response);
    server.prependListener("request", track);
    server.prependListener("checkContinue", track);
    server.prependListener("checkExpectation", track);
    app.addHook("onRequest", ({ raw: { socket } }, { raw: response }, done) => {
      const responses = pending.of(socket);
      const position = responses.indexOf(response);
      if (position <= 0) return done();
      if (position >= maxPipelined) {
        (responses[maxPipelined - 1] as ServerResponse).shouldKeepAlive = false;
        return; // not executed
      }
      if (responses.length >= highWaterMark) socket.pause();
      const start = () => {
        if (!socket.writable) return; // the client has disconnected, or could not know which requests were executed
        if (pending.of(socket).length < highWaterMark) socket.resume();
        done();
      };
      // In a later tick, so that the requests of other connections come in between.
      (responses[position - 1] as ServerResponse).once("close", () => setImmediate(start));
    });
    app.decorate("responsesOf", (socket: Socket) => pending.of(socket));
    app.decorate("countInFlight", () => pending.count(app.openSockets));
  },
  { name: "pipelining", dependencies: ["connections"] },
);

// The unfinished responses of each connection, in order. Those of a closed connection are garbage collected with it.
class PendingResponses {
  readonly #responses = new WeakMap<Socket, ServerResponse[]>();

  add(socket: Socket, response: ServerResponse): void {
    const responses = this.#responses.get(socket);
    if (responses === undefined) this.#responses.set(socket, [response]);
    else responses.push(response);
  }

  of(socket: Socket): readonly ServerResponse[] {
    const responses = this.#responses.get(socket) ?? [];
    while (responses[0]?.writableFinished && responses[0].req.complete) responses.shift();
    return responses;
  }

  count(sockets: Iterable<Socket>): number {
    let count = 0;
    for (const socket of sockets) for (const { writableFinished } of this.of(socket)) if (!writableFinished) count += 1;
    return count;
  }
}
