// Node: its HTTP parser reads from the handle of a socket, until the socket has a listener of `data` (`socketOnData` and
// `unconsume`, Node 20 to 26: https://github.com/nodejs/node/blob/v26.x/lib/_http_server.js).
import type { Socket } from "node:net";

/** Discards what a client sends from now on: no further request of the connection is parsed. */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners("data");
  socket.on("data", () => {}).resume();
}
