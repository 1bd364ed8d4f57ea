// Limits the connections of clients, and the bytes that they do not read.
//
// Not `server.maxConnections` of Node, which rejects new connections: a client that holds all of them would lock out all
// others.
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { FastifyInstance } from "fastify";
import type { MetricsRegistry } from "../../lib/index.ts";
import { ConnectionTable, type Excess } from "./connection-table.ts";
import { SlowClients } from "./slow-clients.ts";

/** The maximum length of the queue of connections that are not accepted yet. The system may have a lower limit. */
export const backlog = 4_096;

const defaultCheckInterval = 250; // milliseconds
const logInterval = 1_000; // milliseconds
const memoryShare = 0.1; // of the anonymous connections, which a check closes while the memory is almost full

/**
 * Why the service closes a connection: its client has too many, there are too many in total, the memory is almost full, or its
 * client pipelines too many requests, or reads its responses too slowly.
 */
type Reason = "client" | "total" | "memory" | "pipelining" | "slow";

/** The open connections. */
export interface Connections {
  /** With TLS, each connection is listed twice: as a TCP socket and as a TLS socket. */
  readonly sockets: ReadonlySet<Socket>;
  /** Records that a connection has presented a valid credential of `client`. */
  identify(socket: Socket, client: unknown): void;
  /** Records that the credential of `client` is not valid any more: its connections are anonymous again. */
  anonymize(client: unknown): void;
  /** Returns the client whose valid credential a connection has presented, unless it is a proxy's. */
  clientOf(socket: Socket): unknown;
  /** Closes a connection, and counts it. */
  close(socket: Socket, reason: Reason): void;
}

export interface ConnectionsOptions {
  readonly metrics: MetricsRegistry;
  /** Whether the resident memory approaches its limit, so that connections are closed. */
  readonly memory: { readonly isHigh: boolean };
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
export function limitConnections(app: FastifyInstance, options: ConnectionsOptions): Connections {
  const { metrics, memory, max, isProxy } = options;
  const { clock = () => performance.now(), checkInterval = defaultCheckInterval } = options;
  const { server } = app;
  const sockets = new Set<Socket>();
  const table = new ConnectionTable(max, isProxy);
  const slowClients = new SlowClients();
  const closed: Record<Reason, number> = { client: 0, total: 0, memory: 0, pipelining: 0, slow: 0 };
  const close = (socket: Socket, reason: Reason) => {
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
    if (memory.isHigh) for (const socket of table.removeAnonymous(memoryShare)) close(socket, "memory");
  };
  const timers = [setInterval(check, checkInterval), setInterval(createReport(app, closed), logInterval)];
  for (const timer of timers) timer.unref();
  app.addHook("onClose", async () => {
    for (const timer of timers) clearInterval(timer);
  });
  metrics.gauge("connections_open", "Open client connections.", () => table.size);
  metrics.counter(
    "connections_closed_total",
    "Client connections that the service closed, by reason (client, total, memory, pipelining or slow).",
    () => Object.entries(closed).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  metrics.gauge("response_bytes_unread", "Response bytes that clients have not read yet.", () => slowClients.unread);
  return {
    sockets,
    identify: (socket, client) => closeExcess(table.identify(socket, client)),
    anonymize: (client) => table.anonymize(client).forEach(closeExcess),
    clientOf: (socket) => table.clientOf(socket),
    close,
  };
}

// Logs how many connections were closed since the previous report.
function createReport({ log }: FastifyInstance, closed: Readonly<Record<string, number>>) {
  let reported = { ...closed };
  return () => {
    const counts = Object.fromEntries(
      Object.entries(closed).flatMap(([reason, count]) => {
        const added = count - (reported[reason] as number);
        return added > 0 ? [[reason, added]] : [];
      }),
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
