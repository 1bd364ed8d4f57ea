// Node: how its HTTP server ends a connection after the last response (`destroySoon`, Node 20 to 26:
// https://github.com/nodejs/node/blob/v26.x/lib/net.js).
import { Socket } from "node:net";

/** Replaces the end of a connection. `end` receives Node's own way, which destroys the socket as soon as all is written. */
export function replaceEnd(socket: Socket, end: (destroySoon: () => void) => void): void {
  socket.destroySoon = () => end(() => Socket.prototype.destroySoon.call(socket));
}
