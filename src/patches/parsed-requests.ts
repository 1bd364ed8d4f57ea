// Node: what happens to a request that its HTTP parser has read (`onIncoming`, Node 20 to 26:
// https://github.com/nodejs/node/blob/v26.x/lib/_http_server.js).
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

interface HttpParser {
  onIncoming(request: IncomingMessage & { upgrade?: boolean }, shouldKeepAlive: boolean): number;
}

const stopParsing = 2; // the return value that leaves the rest of the bytes unparsed

/**
 * Calls `admit` with each request of a connection. If it returns false, Node ignores the request, with all bytes behind it that
 * it has read: `admit` has responded, or closed the connection.
 */
export function filterRequests(socket: Socket, admit: (request: IncomingMessage) => boolean): void {
  const { parser } = socket as Socket & { parser: HttpParser };
  const { onIncoming } = parser;
  parser.onIncoming = (request, shouldKeepAlive) => {
    if (admit(request)) return onIncoming(request, shouldKeepAlive);
    request.upgrade = false; // else Node destroys the connection, with the responses to previous requests
    return stopParsing;
  };
}
