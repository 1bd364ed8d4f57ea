// Limits of connections: their number, and the time that a client may take to read a response.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import t, { type Test } from "tap";
import { createCertificate } from "../support/certificate.ts";
import { type Options, start } from "../support/service.ts";
import { bundleRequest } from "../support/slow-clients.ts";
import { until } from "../support/wait.ts";

t.test("Closes connections over MAX_CONNECTIONS, after it has closed idle ones, and logs their number", async (t) => {
  const service = await start(t, { settings: { MAX_CONNECTIONS: "3" }, overrides: { checkInterval: 50 } });
  const sockets: Socket[] = [];
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  const send = async () => {
    const socket = connect(service.port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    return Promise.race([once(socket, "data").then(() => "response"), once(socket, "close").then(() => "closed")]);
  };
  t.same([await send(), await send(), await send(), await send()], ["response", "response", "response", "closed"]);
  t.same([await send(), await send(), await send()], ["response", "response", "response"], "idle ones were closed");
  await until(
    () => service.logs.find(({ dropped }) => Number(dropped) > 0),
    () => JSON.stringify(service.logs),
  );
});

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
    until(
      () => checks > before + 1 || undefined,
      () => "the service does not check its connections",
    );
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
    const { cert, key } = await createCertificate(t, 1);
    const tls = protocol === "TLS" ? { cert: Buffer.from(cert), key: Buffer.from(key) } : undefined;
    const { port, sockets, advance, untilBlocked, advanceUntilClosed } = await startClocked(t, tls);
    const address = { port, host: "127.0.0.1" };
    const socket = tls ? connectTls({ ...address, ca: cert, servername: "localhost" }) : connect(address);
    sendRequests(t, socket, 8);
    await untilBlocked();
    await advance(30_000);
    t.equal(sockets.size, 1, "open after 30 s");
    // On a slow machine, the system may take another MiB late. The 30 s begin again then.
    t.ok((await advanceUntilClosed()) <= 32_000, "closed afterwards");
    // A client that does not read notices the end only when it writes.
    await until(
      () => (socket.writable ? void socket.write("G") : true),
      () => "the client still has its connection",
    );
  });

t.test("Keeps a connection whose client reads more than 1 MiB in 30 s, and always has requests pending", async (t) => {
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
