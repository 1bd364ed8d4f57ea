// Graceful shutdown: finishes requests in flight before it closes connections.
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Server as TlsServer } from "node:tls";
import { promisify } from "node:util";
import fp from "fastify-plugin";

const idleTimeout = 500; // milliseconds that idle connections stay open after shutdown begins

/**
 * Shuts down in two steps. First the server stops accepting connections, and each response has `Connection: close`, so
 * that active clients send their next request elsewhere. Idle connections are closed 500 ms later, because a client may
 * be sending a request on them.
 */
export const gracefulShutdown = fp(
  async (app) => {
    const closeHandshakes = app.server instanceof TlsServer ? trackHandshakes(app.server) : () => {};
    let isClosing = false;
    app.addHook("preClose", async () => {
      isClosing = true;
      NetServer.prototype.close.call(app.server); // http.Server.close would close idle connections, too
      const count = promisify(app.server.getConnections.bind(app.server));
      for (const end = performance.now() + idleTimeout; (await count()) > 0 && performance.now() < end; )
        await pause(10);
      closeHandshakes();
    });
    app.addHook("onSend", ({ headers }, reply, payload, done) => {
      // After a request with Upgrade, Node treats the following bytes as another protocol.
      if (isClosing || headers.upgrade !== undefined) reply.header("connection", "close");
      done(null, payload);
    });
  },
  { name: "graceful-shutdown" },
);

// Tracks connections whose TLS handshake is not finished. http.Server does not know them, and would not close them.
function trackHandshakes(server: TlsServer): () => void {
  const open = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    open.set(name, socket);
    socket.once("close", () => open.delete(name));
  });
  server.on("secureConnection", (socket) => open.delete(nameOf(socket)));
  return () => {
    for (const socket of open.values()) socket.destroy();
  };
}
