// Closes connections in stages (RFC 9112, section 9.6), so that clients can read the last response.
//
// If a socket is closed while it has unread data, or while the client still sends, the kernel responds with RST, and the
// client may lose the response. Node closes sockets as soon as the last response is written.
import type { Server, Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import fp from "fastify-plugin";
import { replaceEnd } from "../../patches/socket-end.ts";
import { discardInput } from "../../patches/socket-input.ts";

const idleTimeout = 1_000; // milliseconds without data of the client
const totalTimeout = 5_000; // milliseconds
const maxBytes = 8_388_608; // that are read and discarded

/**
 * After the last response of a connection, closes only the write side, and discards what the client sends, until the
 * client closes its side or a limit is reached. From the end of the plugin `gracefulShutdown` on, connections are closed
 * at once.
 */
export const lingeringClose = fp(
  async (app) => {
    const lingering = new Set<Socket>();
    let isClosing = false;
    (app.server as Server).on(app.server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
      replaceEnd(socket, (destroySoon) => {
        if (isClosing) destroySoon();
        else if (!lingering.has(socket)) {
          lingering.add(socket);
          socket.once("close", () => lingering.delete(socket));
          linger(socket);
        }
      });
    });
    app.addHook("preClose", async () => {
      isClosing = true;
      for (const socket of lingering) socket.destroy();
    });
  },
  { name: "lingering-close", dependencies: ["graceful-shutdown"] },
);

function linger(socket: Socket): void {
  discardInput(socket);
  const limit = socket.bytesRead + maxBytes;
  socket.on("data", () => {
    if (socket.bytesRead > limit) socket.destroy();
  });
  // Node destroys the socket if both sides have ended. Until the response is written, the plugin `connections` limits
  // the time.
  socket.end(() => {
    socket.setTimeout(idleTimeout, () => socket.destroy());
    const timer = setTimeout(() => socket.destroy(), totalTimeout).unref();
    socket.once("close", () => clearTimeout(timer));
  });
}
