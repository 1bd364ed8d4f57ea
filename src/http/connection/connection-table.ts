// The open connections by client, and the choice of the connections that are closed if there are too many.
import type { Socket } from "node:net";
import { toNetwork } from "./networks.ts";

const maxAnonymousShare = 0.05; // of all connections, for a network address
const minAnonymous = 100; // connections that a network address may have, even if 5 % is less
const maxAuthenticatedShare = 0.5; // of all connections, for a client with a credential

interface Connection {
  /** The TCP socket or, after a TLS handshake, the TLS socket. */
  socket: Socket;
  /** The network address or, after authentication, the client. */
  client: unknown;
  isAnonymous: boolean;
  readonly network: string;
  /** Whether the peer is a trusted proxy, whose connections are those of many clients. */
  readonly isProxy: boolean;
  readonly peer: string;
}

/** A connection that must be closed, because its client has too many, or because there are too many in total. */
export interface Excess {
  readonly socket: Socket;
  readonly reason: "client" | "total";
}

/** The open connections. One that has not presented a credential, or whose credential is not valid, is anonymous. */
export class ConnectionTable {
  readonly #max: number;
  readonly #isProxy: (address: string) => boolean;
  readonly #bySocket = new Map<Socket, Connection>();
  readonly #byPeer = new Map<string, Connection>(); // by the address and port of the client
  // Oldest first.
  readonly #anonymous = new Set<Connection>();
  readonly #byClient = new Map<unknown, Set<Connection>>();

  /**
   * `max` is the maximum number of connections. `isProxy` returns whether an address is that of a trusted proxy, whose
   * connections are those of many clients.
   */
  constructor(max: number, isProxy: (address: string) => boolean) {
    this.#max = max;
    this.#isProxy = isProxy;
  }

  /** The number of connections. */
  get size(): number {
    return this.#bySocket.size;
  }

  /** Adds a connection. Returns the connection that must be closed for it. */
  add(socket: Socket): Excess | undefined {
    const { remoteAddress, remotePort } = socket;
    const peer = `${remoteAddress} ${remotePort}`;
    const [network, isProxy] = [toNetwork(`${remoteAddress}`), this.#isProxy(`${remoteAddress}`)];
    const connection = { socket, client: network, isAnonymous: true, network, isProxy, peer };
    const excess = this.#removeExcess(connection) ?? this.#removeOldest();
    this.#bySocket.set(socket, connection);
    this.#byPeer.set(peer, connection);
    this.#anonymous.add(connection);
    this.#join(connection);
    return excess;
  }

  /** Replaces the TCP socket of a connection by its TLS socket. */
  replace(socket: Socket): void {
    const connection = this.#byPeer.get(`${socket.remoteAddress} ${socket.remotePort}`);
    if (connection === undefined) return; // closed during the handshake
    this.#bySocket.delete(connection.socket);
    this.#bySocket.set(socket, connection);
    connection.socket = socket;
  }

  /** Records that a connection belongs to `client`. Returns the connection that must be closed for it. */
  identify(socket: Socket, client: unknown): Excess | undefined {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined || connection.client === client) return undefined;
    this.#anonymous.delete(connection);
    connection.isAnonymous = false;
    if (connection.isProxy) return undefined;
    this.#leave(connection);
    connection.client = client;
    const excess = this.#removeExcess(connection);
    this.#join(connection);
    return excess;
  }

  /**
   * Makes the connections of `client` anonymous again, because its credential is not valid any more. Returns the
   * connections that must be closed, because their network address has too many.
   */
  anonymize(client: unknown): Excess[] {
    const connections = [...(this.#byClient.get(client) ?? [])];
    return connections.flatMap((connection) => {
      this.#leave(connection);
      connection.client = connection.network;
      connection.isAnonymous = true;
      const excess = this.#removeExcess(connection);
      this.#anonymous.add(connection);
      this.#join(connection);
      return excess ?? [];
    });
  }

  /** Returns the client of a connection; undefined if it is anonymous or closed, or that of a trusted proxy. */
  clientOf(socket: Socket): unknown {
    const connection = this.#bySocket.get(socket);
    return connection?.isAnonymous === false && !connection.isProxy ? connection.client : undefined;
  }

  /** Removes a closed connection. */
  delete(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection) this.#remove(connection);
  }

  /** Removes and returns a share of the anonymous connections, the oldest first. Keeps the last 100. */
  removeAnonymous(share: number): Socket[] {
    const { size } = this.#anonymous;
    const count = Math.min(Math.ceil(share * size), size - minAnonymous);
    const removed = [...this.#anonymous].slice(0, Math.max(count, 0));
    for (const connection of removed) this.#remove(connection);
    return removed.map(({ socket }) => socket);
  }

  // Makes room for a connection among those of its client.
  #removeExcess({ client, isAnonymous, isProxy }: Connection): Excess | undefined {
    if (isProxy) return undefined;
    const max = isAnonymous
      ? Math.max(maxAnonymousShare * this.#max, minAnonymous)
      : Math.max(maxAuthenticatedShare * this.#max, 1);
    const connections = this.#byClient.get(client);
    if (connections === undefined || connections.size < max) return undefined;
    const [oldest] = connections as Iterable<Connection> as [Connection];
    this.#remove(oldest);
    return { socket: oldest.socket, reason: "client" };
  }

  // Makes room for a connection among all. If none is anonymous, the client with the most connections has too many.
  #removeOldest(): Excess | undefined {
    if (this.#bySocket.size < this.#max) return undefined;
    const largest = () => [...this.#byClient.values()].reduce((a, b) => (b.size > a.size ? b : a));
    const [oldest] = this.#anonymous.size > 0 ? this.#anonymous : largest();
    this.#remove(oldest as Connection);
    return { socket: (oldest as Connection).socket, reason: "total" };
  }

  #remove(connection: Connection): void {
    this.#leave(connection);
    this.#anonymous.delete(connection);
    this.#bySocket.delete(connection.socket);
    if (this.#byPeer.get(connection.peer) === connection) this.#byPeer.delete(connection.peer);
  }

  #join(connection: Connection): void {
    const connections = this.#byClient.get(connection.client);
    if (connections) connections.add(connection);
    else this.#byClient.set(connection.client, new Set([connection]));
  }

  #leave(connection: Connection): void {
    const connections = this.#byClient.get(connection.client) as Set<Connection>;
    connections.delete(connection);
    if (connections.size === 0) this.#byClient.delete(connection.client);
  }
}
