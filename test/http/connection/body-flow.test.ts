// The flow of bodies in many small parts: bounded in memory, complete, and in turn with the requests of others.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { parseResponses } from "../../support/responses.ts";
import { start } from "../../support/service.ts";

const service = await start(t);
const head = (key: string, framing: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const pad = (length: number) => JSON.stringify({ name: "Rex", categoryId: 1 }).padStart(length);

/** Sends a body in segments of `size` bytes, each in a packet of its own. */
async function sendSlowly(socket: Socket, body: string, size: number) {
  for (let n = 0; n < body.length; n += size) {
    socket.write(body.slice(n, n + size));
    await new Promise(setImmediate);
  }
}

/** Returns a body in chunks of one byte. */
const inChunks = (body: string) => `${body.replace(/./g, "1\r\n$&\r\n")}0\r\n\r\n`;

t.test("Accepts a body of 64 KiB in segments of any size", async (t) => {
  for (const [framing, size] of [
    ["Content-Length: 65536", 10],
    ["Content-Length: 65536", 536],
    ["Transfer-Encoding: chunked", 100],
  ] as const) {
    const body = pad(65_536);
    const socket = connect(service.port, "127.0.0.1").setNoDelay();
    socket.write(head(service.key, framing));
    const response = text(socket);
    await sendSlowly(socket, framing.startsWith("C") ? body : `10000\r\n${body}\r\n0\r\n\r\n`, size);
    socket.end();
    t.match(parseResponses(await response), [{ status: 201 }], `${framing}, ${size}`);
  }
});

t.test("Accepts a body of 64 KiB in chunks of one byte, and the next request of the connection", async (t) => {
  const request = head(service.key, "Transfer-Encoding: chunked") + inChunks(pad(65_536));
  const list = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
  t.match(await service.raw(request + list), [{ status: 201 }, { status: 200 }]);
});

t.test("Reads on after a rejected body in chunks of one byte", async (t) => {
  const request = head("wrong", "Transfer-Encoding: chunked") + inChunks(pad(5_000));
  const list = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
  t.match(await service.raw(request + list), [{ status: 401 }, { status: 200 }]);
});

t.test("Merges the chunks of a body that nobody reads yet, and reads no further from its connection", async (t) => {
  const { app, key, port } = await start(t);
  const chunks: Buffer[] = [];
  let waiting = 0;
  let received = 0;
  app.server.prependListener("request", async (request: IncomingMessage) => {
    request.pause();
    await sleep(300);
    waiting = request.readableLength;
    received = request.socket.bytesRead;
    request.on("data", (chunk) => chunks.push(chunk)).resume();
  });
  const socket = connect(port, "127.0.0.1")
    .setNoDelay()
    .on("error", () => {}); // the service closes the connection before it has read everything
  const responded = once(socket, "data");
  socket.write(head(key, "Transfer-Encoding: chunked"));
  for (let n = 0; n < 200; n++) {
    socket.write("1\r\n \r\n".repeat(1_000)); // 200,000 chunks in total, more than the limit of a body
    await new Promise(setImmediate);
  }
  const [response] = await responded;
  socket.destroy();
  t.match(String(response), /^HTTP\/1\.1 413/);
  t.ok(waiting <= 2 * 65_536, `${waiting} bytes wait`);
  t.ok(received < 800_000, `${received} bytes were received`);
  const small = chunks.filter(({ length }) => length < 100).length;
  t.ok(small < 50, `${small} of ${chunks.length} chunks are small`);
});

t.test("Serves others between the parts of bodies in chunks of one byte", async (t) => {
  const request = head(service.key, "Transfer-Encoding: chunked") + inChunks(pad(65_536));
  const sockets = Array.from({ length: 8 }, () => connect(service.port, "127.0.0.1"));
  t.teardown(() => sockets.forEach((socket) => void socket.destroy()));
  let completed = 0;
  for (const socket of sockets) socket.on("data", () => (completed += 1)).write(request);
  let served = 0;
  for (; completed < 8; served++) t.equal((await service.call("GET", "/healthz")).status, 200);
  t.ok(served >= 5, `${served} requests of another client were served meanwhile`);
});
