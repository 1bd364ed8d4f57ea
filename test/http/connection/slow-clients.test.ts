// Limits of what clients do not read: the time that they may take, and the bytes of all clients.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import t, { type Test } from "tap";
import { SlowClients } from "../../../src/http/connection/slow-clients.ts";
import { createCertificate } from "../../support/certificate.ts";
import { type Options, start } from "../../support/service.ts";
import { bundleRequest } from "../../support/slow-clients.ts";
import { until } from "../../support/wait.ts";

/** Starts a service with a manual clock, and returns functions that observe its connections. */
async function startClocked(t: Test, tls?: Options["tls"]) {
  let [now, checks] = [0, 0];
  const clock = () => {
    checks += 1;
    return now;
  };
  const { app, port } = await start(t, { tls, overrides: { clock, checkInterval: 10 } });
  const sockets = new Set<Socket>();
  app.server.on(tls ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const untilChecked = (before = checks) =>
    until(() => checks > before + 1, "the service does not check its connections");
  /** Advances the clock by `ms` milliseconds. */
  const advance = async (ms: number) => {
    now += ms;
    await untilChecked();
  };
  /** Waits until the socket buffers of the system are full. */
  const untilBlocked = async () => {
    const countTaken = () =>
      [...sockets].reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0);
    const isWaiting = () => [...sockets].some(({ writableLength }) => writableLength > 0);
    let [taken, unchanged] = [0, 0];
    await until(
      () => {
        unchanged = isWaiting() && countTaken() === taken ? unchanged + 1 : 0;
        taken = countTaken();
        return unchanged > 10 || undefined;
      },
      () => `the system has taken ${taken} bytes, and takes more`,
    );
    await untilChecked();
  };
  /** Advances the clock until the service has closed all connections, for at most 120 s. Returns the milliseconds. */
  const advanceUntilClosed = async () => {
    const start = now;
    while (sockets.size > 0 && now - start < 120_000) await advance(1_000);
    return now - start;
  };
  return { port, sockets, advance, untilBlocked, advanceUntilClosed };
}

/** Sends requests for responses of 1.4 MB each, and does not read the responses. */
function sendRequests(t: Test, socket: Socket, count: number): Socket {
  t.teardown(() => socket.destroy());
  socket.on("error", () => {}).write(bundleRequest.repeat(count));
  return socket.pause();
}

for (const protocol of ["TCP", "TLS"])
  t.test(`Closes a connection if the client does not read its response for 30 s, over ${protocol}`, async (t) => {
    const { cert, ...certificate } = await createCertificate(t, 1);
    const tls = protocol === "TLS" ? certificate.tls : undefined;
    const { port, sockets, advance, untilBlocked, advanceUntilClosed } = await startClocked(t, tls);
    const address = { port, host: "127.0.0.1" };
    const socket = tls ? connectTls({ ...address, ca: cert, servername: "localhost" }) : connect(address);
    sendRequests(t, socket, 8);
    await untilBlocked();
    await advance(30_000);
    t.equal(sockets.size, 1, "open after 30 s");
    // On a slow machine, the system may take more bytes late. The 30 s begin again then.
    t.ok((await advanceUntilClosed()) <= 32_000, "closed afterwards");
    // A client that does not read notices the end only when it writes.
    await until(() => (socket.writable ? void socket.write("G") : true), "the client still has its connection");
  });

t.test("Keeps a connection whose client reads more than 64 KiB in 30 s, and always has requests pending", async (t) => {
  const { port, sockets, advance, untilBlocked, advanceUntilClosed } = await startClocked(t);
  const socket = sendRequests(t, connect(port, "127.0.0.1"), 48);
  await untilBlocked();
  for (let round = 0; round < 6; round++) {
    // The TCP window opens only when much of it is free.
    for (let bytes = 0; bytes < 8_000_000; ) {
      const chunk = socket.read();
      if (chunk === null) await once(socket, "readable");
      else bytes += chunk.length;
    }
    await untilBlocked();
    await advance(20_000);
    t.equal(sockets.size, 1, `open after ${(round + 1) * 20} s`);
  }
  t.ok((await advanceUntilClosed()) <= 62_000, "closed when the client stops reading");
});

t.test("Selects the slowest connections if all clients together have not read more than 64 MiB", async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const response = Buffer.alloc(20_000_000); // more than the socket buffers of the system take
  const open = async () => {
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
    t.teardown(() => client.destroy());
    const count = sockets.length;
    await until(() => sockets.length > count, "not connected");
    const socket = sockets.at(-1) as Socket;
    socket.on("error", () => {}).write(response);
  };
  const slowClients = new SlowClients();
  await open();
  t.same(slowClients.check(sockets, 0), []);
  for (let n = 0; n < 2; n++) await open();
  t.same(slowClients.check(sockets, 1), []);
  t.equal(slowClients.unread, 60_000_000);
  for (let n = 0; n < 3; n++) await open();
  t.same(slowClients.check(sockets, 2), sockets.slice(0, 3), "60 MB of 120 MB remain");
});
