// The connections of clients: how many there may be, how long a client may take, and how they end.
import { Server as ListeningServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { TLSSocket, Server as TlsServer } from "node:tls";
import { promisify } from "node:util";
import type { FastifyInstance } from "fastify";

/** The clocks that Fastify sets, in milliseconds: by default a request may take for ever. */
export const serverTimeouts = {
  connectionTimeout: 120_000, // without a byte in either direction
  keepAliveTimeout: 72_000, // between two requests
  requestTimeout: 30_000,
};

/** Those that Node sets. */
export const parserTimeouts = { headersTimeout: 15_000, connectionsCheckingInterval: 1_000 };

/** The connections that the system lets wait until the service accepts them; it may have a lower limit of its own. */
export const backlog = 4_096;

const answerTimeout = 30_000; // for a client to take what it is answered
const largest = 1_048_576; // bytes of an answer: who has taken as many is given as long again
const sweepEvery = 1_000;
const mostSlow = 200; // connections that may need more than a sweep for it: each takes a megabyte or two meanwhile
const linger = 500; // that an idle connection may be kept when the service ends

/** Options of the sweep that closes connections of slow clients. */
export interface SweepOptions {
  /** The milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
  /** Milliseconds between two sweeps. */
  readonly checkEvery?: number | undefined;
}

/**
 * Holds the connections of `app` to `most`, and to a time in which to take an answer: Node has a
 * clock for each request, none for who asks and then reads a byte now and then. Gives those that are
 * open; over TLS each is there twice, as it came and as it is read.
 */
export function limitConnections(
  app: FastifyInstance,
  most: number,
  { clock = () => performance.now(), checkEvery = sweepEvery }: SweepOptions = {},
): ReadonlySet<Socket> {
  const { server } = app;
  server.maxConnections = most;
  let dropped = 0;
  server.on("drop", () => {
    if (dropped === 0) server.closeIdleConnections(); // who does nothing makes room
    dropped += 1;
  });

  const sockets = new Set<Socket>();
  // For their client to read: since when, and what it had taken then. The first of them waits longest.
  const waiting = new Map<Socket, { since: number; taken: number }>();
  const note = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket) && waiting.delete(socket));
  };
  server.on("connection", note).on("secureConnection", note);
  const sweep = () => {
    if (dropped > 0) app.log.warn({ dropped, most }, "connections were refused: there are too many");
    dropped = 0;
    const now = clock();
    for (const [socket, { taken }] of waiting)
      if (socket.writableLength === 0 || toTaken(socket) - taken > largest) waiting.delete(socket);
    let tooMany = waiting.size - mostSlow;
    for (const [socket, { since }] of waiting) if (tooMany-- > 0 || now - since > answerTimeout) cut(socket);
    for (const socket of sockets)
      if (socket.writableLength > 0 && !waiting.has(socket))
        waiting.set(socket, { since: now, taken: toTaken(socket) });
  };
  const timer = setInterval(sweep, checkEvery).unref();
  app.addHook("onClose", async () => clearInterval(timer));
  return sockets;
}

function toTaken({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

// A reset also gives back what the system holds for the client; over TLS Node has none.
function cut(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/**
 * Lets `app` end in two steps. First it takes no more connections, and each answer says that it is
 * the connection's last, so that clients which are at work take their next request elsewhere; only
 * then are idle connections closed, into which a client could be sending a request just now.
 */
export function gracefulShutdown(app: FastifyInstance): void {
  const endHandshakes = app.server instanceof TlsServer ? watchHandshakes(app.server) : () => {};
  let ending = false;
  app.addHook("preClose", async () => {
    ending = true;
    ListeningServer.prototype.close.call(app.server); // http's own would close the idle ones, too
    const count = promisify(app.server.getConnections.bind(app.server));
    for (const until = performance.now() + linger; (await count()) > 0 && performance.now() < until; ) await pause(10);
    endHandshakes();
  });
  app.addHook("onSend", ({ headers }, reply, payload, done) => {
    // Node takes what follows a request to upgrade for another protocol's: it must be the last here.
    if (ending || headers.upgrade !== undefined) reply.header("connection", "close");
    done(null, payload);
  });
}

// Connections on which TLS has not begun: what ends the others knows nothing of them.
function watchHandshakes(server: TlsServer): () => void {
  const open = new Map<string, Socket>();
  const toName = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const name = toName(socket);
    open.set(name, socket);
    socket.once("close", () => open.delete(name));
  });
  server.on("secureConnection", (socket) => open.delete(toName(socket)));
  return () => {
    for (const socket of open.values()) socket.destroy();
  };
}
