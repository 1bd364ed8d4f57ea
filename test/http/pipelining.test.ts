// Pipelined requests over a real socket.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import t from "tap";
import { start } from "../support/service.ts";
import { bundleRequest } from "../support/slow-clients.ts";
import { pause, until } from "../support/wait.ts";

const createRequest = (key: string, name: string) => {
  const body = JSON.stringify({ name, categoryId: 1 });
  return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

t.test("Starts a request only after the previous response was sent", async (t) => {
  const { port, key, store, app } = await start(t);
  const socket = connect(port, "127.0.0.1").pause();
  t.teardown(() => socket.destroy());
  socket.write(bundleRequest.repeat(8) + createRequest(key, "Rex"));
  await until(
    () => app.countInFlight() > 0 && [...app.openSockets].some(({ writableLength }) => writableLength > 0),
    () => "the client reads everything",
  );
  await pause(100);
  t.equal((await store.pets.list({ limit: 1 })).lastId, undefined, "the client has not read the previous responses");
  socket.resume();
  await until(
    async () => (await store.pets.list({ limit: 1 })).lastId,
    () => "the pet is not created",
  );
});

t.test("Executes the first 128 requests that arrive at once, and closes the connection after them", async (t) => {
  const { raw, key, store } = await start(t);
  const requests = Array.from({ length: 300 }, (_, n) => createRequest(key, `Rex ${n}`));
  const responses = await raw(requests.join(""));
  t.equal(responses.length, 128);
  for (const { status } of responses) t.equal(status, 201);
  t.equal(responses.at(-1)?.headers.connection, "close");
  t.equal(responses.at(-2)?.headers.connection, "keep-alive");
  t.equal((await store.pets.list({ limit: 1, after: 127n })).lastId, 128n);
  t.equal((await store.pets.list({ limit: 1, after: 128n })).lastId, undefined);
});

t.test("Stops reading from a connection with 16 requests without a response", async (t) => {
  const { port, app } = await start(t);
  let server: Socket | undefined;
  app.server.once("connection", (socket: Socket) => {
    server = socket;
  });
  const socket = connect(port, "127.0.0.1").pause();
  t.teardown(() => socket.destroy());
  await once(socket, "connect");
  for (let n = 0; n < 40; n++) {
    socket.write(bundleRequest.repeat(50)); // less than 64 KB, so that not more than 128 requests arrive at once
    await pause(10);
  }
  t.ok(
    (server?.bytesRead ?? 0) < 20 * 50 * bundleRequest.length,
    `read ${server?.bytesRead} of ${socket.bytesWritten}`,
  );
  socket.resume();
  let read = 0;
  for await (const chunk of socket) {
    read += chunk.length;
    if (read > 60 * 1_400_000) break;
  }
  t.ok(read > 60 * 1_400_000, "reads on when responses have been sent");
});

t.test("Does not start the requests of a client that has disconnected", async (t) => {
  const { port, key, store, app } = await start(t);
  const socket = connect(port, "127.0.0.1").pause();
  socket.write(bundleRequest.repeat(8) + createRequest(key, "Rex"));
  await until(
    () => app.countInFlight() > 0 || undefined,
    () => "nothing arrives",
  );
  socket.resetAndDestroy();
  await until(
    () => app.openSockets.size === 0 || undefined,
    () => "the connection stays open",
  );
  await pause(50);
  t.equal((await store.pets.list({ limit: 1 })).lastId, undefined);
});

t.test(
  "Handles the pipelined requests of several connections in turn, not in one tick of the event loop",
  async (t) => {
    const { port } = await start(t);
    let [ticks, isDone] = [0, false];
    const count = () => {
      ticks += 1;
      if (!isDone) setImmediate(count);
    };
    const requests = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100);
    const sockets = Array.from({ length: 10 }, () => connect(port, "127.0.0.1"));
    count();
    const texts = await Promise.all(sockets.map((socket) => readText(socket.end(requests))));
    isDone = true;
    for (const text of texts) t.equal(text.match(/HTTP\/1\.1 404/g)?.length, 100);
    t.ok(ticks >= 100, `${ticks} ticks`);
  },
);
