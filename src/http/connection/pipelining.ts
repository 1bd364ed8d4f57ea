// Pipelining (RFC 9112, section 9.3.2): handles the requests of a connection one after the other. Node would start all
// that it has read, up to 64 KB of requests, and keep all of their responses in memory until the client reads them.
import type { ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import fp from "fastify-plugin";
import { METHODS, type MetricsRegistry } from "../../lib/index.ts";
import { filterRequests } from "../../patches/parsed-requests.ts";
import type { Connections } from "./connections.ts";

const maxPerConnection = 64; // requests without a response, at which a connection is closed
const maxWaiting = 4_096; // requests of all connections that wait for previous ones

const methods = new Set<string | undefined>(METHODS);

const pending = Symbol("pending");

interface TrackedSocket extends Socket {
  /** The unfinished responses of the connection, in order. */
  [pending]?: ServerResponse[];
}

export interface PipeliningOptions {
  readonly metrics: MetricsRegistry;
  readonly connections: Connections;
}

/**
 * Starts a request only after the response to the previous one of its connection has been sent. Closes a connection with
 * more than 64 requests without a response, and one with more than one if 4,096 requests of all connections wait.
 *
 * Node parses all requests of up to 64 KB at once, and keeps them until it has handled all connections that are ready:
 * 2,000 requests each, which would exhaust the memory. So the rest of the bytes of a closed connection is not parsed.
 */
export const pipelining = fp<PipeliningOptions>(
  async (app, { metrics, connections }) => {
    const { server } = app;
    let waiting = 0;
    const track = ({ socket }: { readonly socket: TrackedSocket }, response: ServerResponse) => {
      if (socket[pending] === undefined) socket[pending] = [response];
      else socket[pending].push(response);
    };
    server.prependListener("request", track);
    server.prependListener("checkContinue", track);
    server.prependListener("checkExpectation", track);
    (server as Server).on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
      filterRequests(socket, ({ method }) => {
        // Rejects the methods that only RTSP has, which no router knows. The parser does not say which protocol a request
        // uses.
        if (!methods.has(method)) {
          server.emit("clientError", { code: "RTSP", reason: "it uses another protocol" }, socket);
          return false;
        }
        const { length } = responsesOf(socket);
        // A client can send its next request before the service learns that the response has been sent.
        if (length <= 1 || (length < maxPerConnection && waiting < maxWaiting)) return true;
        connections.close(socket, "pipelining");
        return false;
      });
    });
    app.addHook("onRequest", ({ raw: { socket } }, { raw: response }, done) => {
      const responses = responsesOf(socket);
      const position = responses.indexOf(response);
      if (position <= 0) return done();
      waiting += 1;
      const start = () => {
        waiting -= 1;
        if (!socket.writable) return; // the client has disconnected, or could not know which requests were executed
        done();
      };
      // In a later tick, so that the requests of other connections come in between.
      (responses[position - 1] as ServerResponse).once("close", () => setImmediate(start));
    });
    metrics.gauge("requests_in_flight", "Requests without a complete response, including this scrape.", () =>
      countUnfinished(connections.sockets),
    );
  },
  { name: "pipelining" },
);

/** Returns the responses of a connection, in order, without those that were sent to completely received requests. */
export function responsesOf(socket: TrackedSocket): readonly ServerResponse[] {
  const responses = socket[pending] ?? [];
  while (responses[0]?.writableFinished && responses[0].req.complete) responses.shift();
  return responses;
}

function countUnfinished(sockets: Iterable<Socket>): number {
  let count = 0;
  for (const socket of sockets)
    for (const { writableFinished } of responsesOf(socket)) if (!writableFinished) count += 1;
  return count;
}
