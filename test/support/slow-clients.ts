// Attacks by slow clients, as slowhttptest runs them: slow headers, slow bodies, and slow reading of responses.
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const interval = 1_000; // milliseconds between two writes of a connection
const batches = 20; // of connections, 100 ms apart

/** A request for 1.4 MB. Eight responses exceed the socket buffers of the system for a client that does not read. */
export const bundleRequest = "GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n";

/**
 * Opens `count` connections to the service at `url` and holds them. Returns a function that closes them, and that
 * returns the number of connections that were still open.
 */
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
    }, interval);
    return async () => {
      clearInterval(timer);
      // A client that does not read notices that the service has closed the connection only when it writes.
      for (let n = 0; n < 2 && !then; n++) {
        for (const socket of sockets) if (socket.writable) socket.write(" ");
        await pause(200);
      }
      const open = sockets.filter((socket) => socket.writable).length;
      for (const socket of sockets) socket.destroy();
      return open;
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
  // Never reads: the responses fill the socket buffers of the system, and then the buffers of the service.
  "slow reading": hold(() => bundleRequest.repeat(4)),
};
