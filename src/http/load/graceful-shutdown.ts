// Graceful shutdown: finishes requests in flight before it closes connections.
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Server as TlsServer } from "node:tls";
import { promisify } from "node:util";
import fp from "fastify-plugin";
import { stopListening } from "../../patches/server-close.ts";

/** The milliseconds in which requests in flight can complete. Container runtimes kill a process 10 s after SIGTERM. */
export const defaultGracePeriod = 8_000;

const idleTimeout = 500; // milliseconds that idle connections stay open after shutdown begins
const maxDelay = 2 ** 31 - 1; // milliseconds; a longer timer fires at once
const pollInterval = 10; // milliseconds

/** Is called when the shutdown begins, with the milliseconds until open connections are closed. */
export type ShutdownListener = (gracePeriod: number) => void;

export interface GracefulShutdownOptions {
  /** Milliseconds in which requests in flight can complete. The default is 8,000. */
  readonly gracePeriod?: number | undefined;
}

/**
 * Shuts down in three steps. First, the server stops accepting connections, and each response has `Connection: close`, so
 * that active clients send their next request elsewhere. Idle connections are closed 500 ms later, because a client may
 * be sending a request on them. All others are closed at the end of the grace period. Throws a RangeError for a grace period
 * that is not a number.
 */
export const gracefulShutdown = fp<GracefulShutdownOptions>(
  async (app, { gracePeriod = defaultGracePeriod }) => {
    if (!(gracePeriod >= 0)) throw new RangeError("gracePeriod must be a number of milliseconds, and not negative.");
    const { server } = app;
    const closeHandshakes = server instanceof TlsServer ? trackHandshakes(server) : () => {};
    const countConnections = promisify(server.getConnections.bind(server));
    let isClosing = false;
    app.addHook("preClose", async () => {
      isClosing = true;
      stopListening(server);
      const timer = setTimeout(() => server.closeAllConnections(), Math.min(gracePeriod, maxDelay)); // keeps the process alive: a half-closed connection does not
      server.once("close", () => clearTimeout(timer));
      for (const listener of app.edge.shutdownListeners) listener(gracePeriod);
      const deadline = performance.now() + idleTimeout;
      while ((await countConnections()) > 0 && performance.now() < deadline) await sleep(pollInterval);
      closeHandshakes();
    });
    app.addHook("onSend", ({ headers, raw }, reply, payload, done) => {
      // After a request with Upgrade, Node treats the following bytes as another protocol. In HTTP/1.0, the framing by
      // Transfer-Encoding is faulty (RFC 9112, section 6.1).
      const isUnframed = headers["transfer-encoding"] !== undefined && raw.httpVersion === "1.0";
      if (isClosing || headers.upgrade !== undefined || isUnframed) reply.header("connection", "close");
      done(null, payload);
    });
  },
  { name: "graceful-shutdown" },
);

// Tracks connections whose TLS handshake is not finished, and returns a function that closes them. http.Server does not
// track them. By address and port, because the event after the handshake has another socket object than the one before.
function trackHandshakes(server: TlsServer): () => void {
  const handshakes = new Map<string, Socket>();
  const toName = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const name = toName(socket);
    handshakes.set(name, socket);
    socket.once("close", () => handshakes.delete(name));
  });
  server.on("secureConnection", (socket) => handshakes.delete(toName(socket)));
  return () => {
    for (const socket of handshakes.values()) socket.destroy();
  };
}
