// Limits of connections: their number, and the time in which a client must read its response.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import t, { type Test } from "tap";
import type { Dependencies } from "../../src/app.ts";
import { createCertificate } from "../support/certificate.ts";
import { start } from "../support/service.ts";
import { bundleRequest } from "../support/slow-clients.ts";
import { until } from "../support/wait.ts";

t.test("Closes connections over MAX_CONNECTIONS, after it has closed idle ones, and logs their number", async (t) => {
  const service = await start(t, { settings: { MAX_CONNECTIONS: "3" }, overrides: { checkInterval: 50 } });
  const sockets: Socket[] = [];
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  const open = async () => {
    const socket = connect(service.port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    return Promise.race([once(socket, "data").then(() => "answered"), once(socket, "close").then(() => "closed")]);
  };
  t.same([await open(), await open(), await open(), await open()], ["answered", "answered", "answered", "closed"]);
  t.same([await open(), await open(), await open()], ["answered", "answered", "answered"], "idle ones made room");
  await until(
    () => service.logs.find(({ dropped }) => Number(dropped) > 0),
    () => JSON.stringify(service.logs),
  );
});

/** Starts a service with a clock that `pass` advances, by milliseconds. */
async function startClocked(t: Test, more: Partial<Dependencies> = {}) {
  let [now, looks] = [0, 0];
  const clock = () => {
    looks += 1;
    return now;
  };
  const { app, port } = await start(t, { overrides: { clock, checkInterval: 10, ...more } });
  const sockets = new Set<Socket>();
  app.server.on("tls" in more ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const look = (before = looks) =>
    until(
      () => looks > before + 1 || undefined,
      () => "the service does not look at its connections",
    );
  const pass = async (ms: number) => {
    now += ms;
    await look(); // at who has read enough since, and who waits from now on
  };
  /** Waits until the system takes no more bytes for the client. */
  const fills = async () => {
    const toTaken = () =>
      [...sockets].reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0);
    const isWaiting = () => [...sockets].some(({ writableLength }) => writableLength > 0);
    let [taken, same] = [0, 0];
    await until(
      () => {
        same = isWaiting() && toTaken() === taken ? same + 1 : 0;
        taken = toTaken();
        return same > 10 || undefined;
      },
      () => `the system has taken ${taken} bytes, and takes more`,
    );
    await look();
  };
  /** Lets seconds pass until the connection is closed. Returns the milliseconds. */
  const closes = async () => {
    const began = now;
    while (sockets.size > 0 && now - began < 120_000) await pass(1_000);
    return now - began;
  };
  return { port, sockets, pass, fills, closes };
}

/** Connects, and sends so many requests for 1.4 MB each without reading a response. */
function ask(t: Test, socket: Socket, requests: number): Socket {
  t.teardown(() => socket.destroy());
  socket.on("error", () => {}).write(bundleRequest.repeat(requests));
  return socket.pause();
}

t.test("Closes a connection if the client does not read its response for 30 s", async (t) => {
  const { files, cert } = await createCertificate(t, 1);
  const tls = { cert: readFileSync(files.TLS_CERT), key: readFileSync(files.TLS_KEY) };
  for (const [name, more, open] of [
    ["TCP", {}, (port: number) => connect(port, "127.0.0.1")],
    ["TLS", { tls }, (port: number) => connectTls({ port, host: "127.0.0.1", ca: cert, servername: "localhost" })],
  ] as const) {
    const { port, sockets, pass, fills, closes } = await startClocked(t, more);
    const socket = ask(t, open(port), 8);
    await fills();
    await pass(30_000);
    t.equal(sockets.size, 1, `${name}: open after 30 s`);
    // The system may take another MiB late, on a slow machine: then the 30 s begin again.
    t.ok((await closes()) <= 32_000, `${name}: closed afterwards`);
    // A client that does not read notices the end only when it writes.
    await until(
      () => (socket.writable ? void socket.write("G") : true),
      () => `${name}: the client still has its connection`,
    );
  }
});

t.test("Keeps a connection whose client reads more than 1 MiB in 30 s, and always has requests pending", async (t) => {
  const { port, sockets, pass, fills, closes } = await startClocked(t);
  const socket = ask(t, connect(port, "127.0.0.1"), 48);
  await fills();
  for (let round = 0; round < 6; round++) {
    // A window of TCP opens only when much of it is free.
    for (let bytes = 0; bytes < 8_000_000; ) {
      const chunk = socket.read();
      if (chunk === null) await once(socket, "readable");
      else bytes += chunk.length;
    }
    await fills();
    await pass(20_000);
    t.equal(sockets.size, 1, `open after ${(round + 1) * 20} s`);
  }
  t.ok((await closes()) <= 62_000, "closed when the client reads no more");
});
