// Limits the connections of clients, and the bytes that they do not read.
//
// Not `server.maxConnections` of Node, which rejects new connections: a client that holds all of them would lock out all
// others.
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { ConnectionTable, type Excess } from "./connection-table.ts";
import { SlowClients } from "./slow-clients.ts";

/** The maximum length of the queue of connections that are not accepted yet. The system may have a lower limit. */
export const backlog = 4_096;

const defaultCheckInterval = 250; // milliseconds
const logInterval = 1_000; // milliseconds
const memoryShare = 0.1; // of the anonymous connections, which a check closes while the memory is almost full

/** The number of connections that the service has closed, by reason. */
interface ClosedConnections {
  /** The client had too many connections. */
  client: number;
  /** There were too many connections in total. */
  total: number;
  /** The memory was almost full. */
  memory: number;
  /** The client pipelined too many requests. */
  pipelining: number;
  /** The client read its responses too slowly. */
  slow: number;
}

declare module "fastify" {
  interface FastifyInstance {
    /** The open connections. With TLS, each is listed twice: as a TCP socket and as a TLS socket. */
    openSockets: ReadonlySet<Socket>;
    /** Records that a connection has presented a valid credential of `client`. */
    identifyConnection(socket: Socket, client: unknown): void;
    /** Records that the credential of `client` is not valid any more: its connections are anonymous again. */
    anonymizeClient(client: unknown): void;
    /** Returns the client whose valid credential the connection of a request has presented, unless it is a proxy's. */
    clientOf(request: FastifyRequest): unknown;
    /** Closes a connection, and counts it. */
    closeConnection(socket: Socket, reason: keyof ClosedConnections): void;
  }
}

export interface ConnectionsOptions {
  /** The maximum number of connections. */
  readonly max: number;
  /** Returns whether a network address is that of a trusted proxy, whose connections are those of many clients. */
  readonly isProxy: (address: string) => boolean;
  /** Returns milliseconds of a monotonic clock. */
  readonly clock?: (() => number) | undefined;
  /** Milliseconds between two checks of the clients and the memory. */
  readonly checkInterval?: number | undefined;
}

/**
 * Closes connections if there are too many: of a network address without a valid credential, of a client with one, and
 * in total. The first to be closed is the oldest one without a valid credential. Closes the connections
 * of clients that read too slowly, because Node has timeouts for requests but none for responses.
 */
export const connections = fp<ConnectionsOptions>(
  async (app, { max, isProxy, clock = () => performance.now(), checkInterval = defaultCheckInterval }) => {
    const { server } = app;
    const sockets = new Set<Socket>();
    const table = new ConnectionTable(max, isProxy);
    const slowClients = new SlowClients();
    const closed = { client: 0, total: 0, memory: 0, pipelining: 0, slow: 0 };
    const close = (socket: Socket, reason: keyof ClosedConnections) => {
      if (socket.destroyed) return;
      closed[reason] += 1;
      reset(socket);
    };
    const closeExcess = (excess: Excess | undefined) => excess && close(excess.socket, excess.reason);
    const track = (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        slowClients.delete(socket);
        table.delete(socket);
      });
    };
    server.on("connection", (socket) => {
      closeExcess(table.add(socket));
      track(socket);
    });
    server.on("secureConnection", (socket: Socket) => {
      table.replace(socket);
      track(socket);
    });

    const check = () => {
      for (const socket of slowClients.check(sockets, clock())) close(socket, "slow");
      if (app.memory.isHigh) for (const socket of table.removeAnonymous(memoryShare)) close(socket, "memory");
    };
    const timers = [setInterval(check, checkInterval), setInterval(createReport(app, closed), logInterval)];
    for (const timer of timers) timer.unref();
    app.addHook("onClose", async () => {
      for (const timer of timers) clearInterval(timer);
    });
    app.decorate("openSockets", sockets);
    app.decorate("identifyConnection", (socket: Socket, client: unknown) => {
      closeExcess(table.identify(socket, client));
    });
    app.decorate("anonymizeClient", (client: unknown) => table.anonymize(client).forEach(closeExcess));
    app.decorate("clientOf", ({ raw }: FastifyRequest) => table.clientOf(raw.socket));
    app.decorate("closeConnection", close);
    app.metrics.gauge("connections_open", "Open client connections.", () => table.size);
    app.metrics.counter(
      "connections_closed_total",
      "Client connections that the service closed, by reason (client, total, memory, pipelining or slow).",
      () => Object.entries(closed).map(([reason, value]) => ({ labels: { reason }, value })),
    );
    app.metrics.gauge(
      "response_bytes_unread",
      "Response bytes that clients have not read yet.",
      () => slowClients.unread,
    );
  },
  { name: "connections", dependencies: ["memory-monitor"] },
);

// Logs how many connections were closed since the previous report.
function createReport({ log }: { log: { warn(details: object, message: string): void } }, closed: ClosedConnections) {
  let reported = { ...closed };
  return () => {
    const reasons = Object.entries(closed) as [keyof ClosedConnections, number][];
    const counts = Object.fromEntries(
      reasons.map(([reason, count]) => [reason, count - reported[reason]] as const).filter(([, count]) => count > 0),
    );
    reported = { ...closed };
    if (Object.keys(counts).length > 0) log.warn({ closed: counts }, "connections closed");
  };
}

// A reset also frees the kernel's send buffer. Node can't reset TLS sockets.
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
