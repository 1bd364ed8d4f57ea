// Limits the connections of clients: their number, and the time that a client may take to read a response.
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import fp from "fastify-plugin";

declare module "fastify" {
  interface FastifyInstance {
    /** The open connections. With TLS, each is listed twice: as a TCP socket and as a TLS socket. */
    openSockets: ReadonlySet<Socket>;
  }
}

/** Timeouts that Fastify sets, in milliseconds. By default, a request may take forever. */
export const serverTimeouts = {
  connectionTimeout: 120_000, // without a byte in either direction
  keepAliveTimeout: 72_000, // between two requests
  requestTimeout: 30_000,
};

/** Timeouts that Node sets, in milliseconds. */
export const parserTimeouts = { headersTimeout: 15_000, connectionsCheckingInterval: 1_000 };

/** The maximum length of the queue of connections that are not accepted yet. The system may have a lower limit. */
export const backlog = 4_096;

const responseTimeout = 30_000; // milliseconds for a client to read a response, or `progress` bytes of it
const progress = 1_048_576;
const sweepInterval = 1_000; // milliseconds
const maxSlow = 200; // connections that take longer than one sweep to read; each holds 1 to 2 MB of memory

/** The options of the plugin `connections`. */
export interface ConnectionsOptions {
  /** Maximum number of connections. */
  readonly max: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
  /** Milliseconds between two checks of slow clients. */
  readonly checkInterval?: number | undefined;
}

/**
 * Limits the number of connections, and closes those whose clients read too slowly: Node has timeouts for requests, but
 * none for responses. If all connections are in use, closes the idle ones.
 */
export const connections = fp<ConnectionsOptions>(
  async (app, { max, clock = () => performance.now(), checkInterval = sweepInterval }) => {
    const { server } = app;
    server.maxConnections = max;
    let dropped = 0;
    server.on("drop", () => {
      if (dropped === 0) server.closeIdleConnections();
      dropped += 1;
    });

    const sockets = new Set<Socket>();
    // Connections with unread bytes: since when, and how many bytes had been read then. Sorted by time.
    const slow = new Map<Socket, { since: number; read: number }>();
    const track = (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket) && slow.delete(socket));
    };
    server.on("connection", track).on("secureConnection", track);
    const sweep = () => {
      if (dropped > 0) app.log.warn({ dropped, max }, "connections rejected: MAX_CONNECTIONS reached");
      dropped = 0;
      const now = clock();
      for (const [socket, { read }] of slow)
        if (socket.writableLength === 0 || bytesRead(socket) - read > progress) slow.delete(socket);
      let excess = slow.size - maxSlow;
      for (const [socket, { since }] of slow) if (excess-- > 0 || now - since > responseTimeout) reset(socket);
      for (const socket of sockets)
        if (socket.writableLength > 0 && !slow.has(socket)) slow.set(socket, { since: now, read: bytesRead(socket) });
    };
    const timer = setInterval(sweep, checkInterval).unref();
    app.addHook("onClose", async () => clearInterval(timer));
    app.decorate("openSockets", sockets);
  },
  { name: "connections" },
);

function bytesRead({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

// A reset also frees the kernel's send buffer. Node can't reset TLS sockets.
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
