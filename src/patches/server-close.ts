// Node: `close` of an HTTP server, which also closes idle connections at once (since Node 19:
// https://github.com/nodejs/node/blob/v26.x/lib/_http_server.js).
import type { Server as HttpServer } from "node:http";
import { Server } from "node:net";

/** Stops a server from accepting connections, and leaves those that are open, as `close` of a TCP server does. */
export function stopListening(server: HttpServer): void {
  Server.prototype.close.call(server);
}
