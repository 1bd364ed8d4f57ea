// Pipelined requests over a real socket.
import { once } from "node:events";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { connect as connectOverTls } from "node:tls";
import type { FastifyInstance } from "fastify";
import t from "tap";
import { createCertificate } from "../../support/certificate.ts";
import { createRequest } from "../../support/http.ts";
import { readMetric } from "../../support/metrics.ts";
import { petsOf } from "../../support/pets.ts";
import { connectionsOf, start } from "../../support/service.ts";
import { bundleRequest } from "../../support/slow-clients.ts";
import { pause, until } from "../../support/wait.ts";

const countInFlight = ({ edge }: FastifyInstance) => readMetric(edge, "petstore_requests_in_flight");
const countClosed = ({ edge }: FastifyInstance) =>
  readMetric(edge, "petstore_connections_closed_total", { reason: "pipelining" });

const createPet = (key: string, name: string) => Object.values(createRequest(key, name)).join("");

t.test("Starts a request only after the previous response was sent", async (t) => {
  const { port, key, store, app } = await start(t);
  const socket = connect(port, "127.0.0.1").pause();
  t.teardown(() => socket.destroy());
  socket.write(bundleRequest.repeat(8) + createPet(key, "Rex"));
  await until(
    () => countInFlight(app) > 0 && [...connectionsOf(app).sockets].some(({ writableLength }) => writableLength > 0),
    "the client reads everything",
  );
  await pause(100);
  t.equal((await petsOf(store).list({ limit: 1 })).last, undefined, "the client has not read the previous responses");
  socket.resume();
  await until(
    async () => (await petsOf(store).list({ limit: 1 })).last,
    () => "the pet is not created",
  );
});

t.test("Closes a connection with more than 64 requests without a response", async (t) => {
  const { port, key, app } = await start(t);
  for (const [count, expected] of [
    [64, 64],
    [300, 0],
  ] as const) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    const requests = Array.from({ length: count }, (_, n) => createPet(key, `Rex ${n}`));
    socket.end(requests.join(""));
    const text = await readText(socket).catch(() => "");
    t.equal(text.match(/HTTP\/1\.1 201/g)?.length ?? 0, expected, `${count} requests`);
  }
  t.equal(countClosed(app), 1);
});

for (const isTls of [false, true])
  t.test(
    `Does not parse the further requests of a connection that it closes, ${isTls ? "with" : "without"} TLS`,
    async (t) => {
      const { tls } = await createCertificate(t, 1);
      const { port, app } = await start(t, isTls ? { tls } : {});
      let count = 0;
      app.server.on("request", () => {
        count += 1;
      });
      const socket = isTls ? connectOverTls({ port, rejectUnauthorized: false }) : connect(port, "127.0.0.1");
      socket.on("error", () => {}).resume();
      await once(socket, isTls ? "secureConnect" : "connect");
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500));
      await new Promise((resolve) => socket.once("close", resolve));
      t.equal(count, 64);
    },
  );

t.test("Closes connections if more than 4,096 pipelined requests of all connections wait", async (t) => {
  const { port, app } = await start(t);
  const sockets = Array.from({ length: 90 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  t.teardown(() => sockets.map((socket) => socket.destroy()));
  for (const socket of sockets) socket.pause().write(bundleRequest.repeat(60));
  await until(
    () => countClosed(app) > 10,
    () => `${countClosed(app)} connections are closed`,
  );
  t.ok(countInFlight(app) <= 4_096 + 90, `${countInFlight(app)} requests are in flight`);
  for (const socket of sockets) socket.destroy();
  await until(
    () => connectionsOf(app).sockets.size === 0,
    () => `${connectionsOf(app).sockets.size} connections are open`,
  );
  const { status } = await fetch(`http://127.0.0.1:${port}/healthz`);
  t.equal(status, 200);
});

t.test("Does not start the requests of a client that has disconnected", async (t) => {
  const { port, key, store, app } = await start(t);
  const socket = connect(port, "127.0.0.1").pause();
  socket.write(bundleRequest.repeat(8) + createPet(key, "Rex"));
  await until(() => countInFlight(app) > 0, "nothing arrives");
  socket.resetAndDestroy();
  await until(() => connectionsOf(app).sockets.size === 0, "the connection stays open");
  await pause(50);
  t.equal((await petsOf(store).list({ limit: 1 })).last, undefined);
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
    const requests = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50);
    const sockets = Array.from({ length: 10 }, () => connect(port, "127.0.0.1"));
    count();
    const texts = await Promise.all(sockets.map((socket) => readText(socket.end(requests))));
    isDone = true;
    for (const text of texts) t.equal(text.match(/HTTP\/1\.1 404/g)?.length, 50);
    t.ok(ticks >= 50, `${ticks} ticks`);
  },
);
