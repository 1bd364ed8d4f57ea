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

/** The maximum length of the queue of connections that are not accepted yet. The system may have a lower limit. */
export const backlog = 4_096;

const defaultCheckInterval = 1_000; // milliseconds
const responseTimeout = 30_000; // milliseconds for a client to read a response, or `minProgress` bytes of it
const minProgress = 1_048_576; // bytes
const maxSlowClients = 200; // each holds 1 to 2 MB of memory

/** The options of the plugin `connections`. */
export interface ConnectionsOptions {
  /** The maximum number of connections. */
  readonly max: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
  /** Milliseconds between two checks for slow clients. */
  readonly checkInterval?: number | undefined;
}

/**
 * Limits the number of connections, and closes idle ones if all are in use. Closes connections whose clients read too
 * slowly, because Node has timeouts for requests but none for responses.
 */
export const connections = fp<ConnectionsOptions>(
  async (app, { max, clock = () => performance.now(), checkInterval = defaultCheckInterval }) => {
    const { server } = app;
    server.maxConnections = max;
    let dropped = 0;
    server.on("drop", () => {
      if (dropped === 0) server.closeIdleConnections();
      dropped += 1;
    });

    const sockets = new Set<Socket>();
    const slowClients = new SlowClients();
    const track = (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        slowClients.delete(socket);
      });
    };
    server.on("connection", track).on("secureConnection", track);

    const check = () => {
      if (dropped > 0) app.log.warn({ dropped, max }, "connections rejected: MAX_CONNECTIONS reached");
      dropped = 0;
      slowClients.check(sockets, clock());
    };
    const timer = setInterval(check, checkInterval).unref();
    app.addHook("onClose", async () => clearInterval(timer));
    app.decorate("openSockets", sockets);
  },
  { name: "connections" },
);

// The connections that had unread bytes at the last check.
class SlowClients {
  // The time of the client's last progress, and the number of bytes that it had read by then. Sorted by time.
  readonly #progress = new Map<Socket, { since: number; read: number }>();

  delete(socket: Socket): void {
    this.#progress.delete(socket);
  }

  /** Closes connections without progress, and the slowest ones if there are too many. `now` is in milliseconds. */
  check(sockets: Iterable<Socket>, now: number): void {
    for (const [socket, { read }] of this.#progress)
      if (socket.writableLength === 0 || countRead(socket) - read > minProgress) this.#progress.delete(socket);
    let excess = this.#progress.size - maxSlowClients;
    for (const [socket, { since }] of this.#progress) {
      if (excess > 0 || now - since > responseTimeout) reset(socket);
      excess -= 1;
    }
    for (const socket of sockets)
      if (socket.writableLength > 0 && !this.#progress.has(socket))
        this.#progress.set(socket, { since: now, read: countRead(socket) });
  }
}

// Counts the bytes that the kernel has accepted. Those in the socket buffers may not have reached the client yet.
function countRead({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

// A reset also frees the kernel's send buffer. Node can't reset TLS sockets.
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
