// Node: a property of HTTP servers that is not documented (`httpAllowHalfOpen`, Node 20 to 26:
// https://github.com/nodejs/node/blob/v26.x/lib/_http_server.js).
import type { Server } from "node:http";

/** Responds to clients that half-close the connection after sending their request. */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}
