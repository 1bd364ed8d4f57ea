// Lingering close: clients that still send receive the response, and none keeps its connection for long.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectByTls } from "node:tls";
import t from "tap";
import { handlers } from "../../../src/pets/handlers.ts";
import { createCertificate } from "../../support/certificate.ts";
import { type Service, start } from "../../support/service.ts";
import { pause } from "../../support/wait.ts";

const size = 3_000_000; // bytes
const body = Buffer.alloc(65_536, " ");
const post = (key: string, framing = `Content-Length: ${size}`) =>
  `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

/** Sends a head and 3 MB. Resolves to what the client has received when its connection is closed. */
async function upload(socket: Socket, head: string): Promise<string> {
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", ({ message }) => {
    received += ` ${message}`;
  });
  socket.write(head);
  for (let sent = 0; sent < size && !socket.destroyed; sent += body.length) {
    socket.write(body.subarray(0, size - sent));
    await pause(1);
  }
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return `${received.split("\r\n", 1)[0]}${/ [a-z]+ E[A-Z]+$/.exec(received)?.[0] ?? ""}`;
}

/** Opens a connection that stays open when the service closes its side. Returns both sockets. */
async function open({ app, port }: Service): Promise<{ client: Socket; server: Socket }> {
  const accepted = once(app.server, "connection");
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  return { client: client.resume(), server: (await accepted)[0] };
}

for (const protocol of ["TCP", "TLS"])
  t.test(`Clients that send 3 MB receive the response that closes their connection, over ${protocol}`, async (t) => {
    const { cert, ...certificate } = await createCertificate(t, 1);
    const tls = protocol === "TLS" ? certificate.tls : undefined;
    const service = await start(t, { tls });
    const address = { port: service.port, host: "127.0.0.1" };
    const client = () => (tls ? connectByTls({ ...address, ca: cert, servername: "localhost" }) : connect(address));
    for (const [head, status] of [
      [post(service.key), "413 Payload Too Large"],
      [post("wrong"), "401 Unauthorized"],
      [post(service.key, "Transfer-Encoding: chunked"), "400 Bad Request"],
      ["nonsense\r\n\r\n", "400 Bad Request"],
    ] as const) {
      const lines = await Promise.all(Array.from({ length: 20 }, () => upload(client(), head)));
      t.same([...new Set(lines)], [`HTTP/1.1 ${status}`]);
    }
  });

t.test("Closes the connection of a client that sends nothing for 1 s, and of any after 5 s or 8 MiB", async (t) => {
  const service = await start(t);
  const connections = [await open(service), await open(service), await open(service)];
  const measure = async (send: (client: Socket, server: Socket) => Promise<void>) => {
    const { client, server } = connections.pop() as { client: Socket; server: Socket };
    client.write("nonsense\r\n\r\n");
    await once(client, "end");
    const began = performance.now();
    await Promise.all([once(server, "close"), send(client, server)]);
    client.destroy();
    return { seconds: (performance.now() - began) / 1_000, bytes: server.bytesRead };
  };
  const [idle, slow, fast] = await Promise.all([
    measure(async () => {}),
    measure(async (client, server) => {
      for (; !server.destroyed; await pause(200)) client.write("x");
    }),
    measure(async (client, server) => {
      for (; !server.destroyed; await pause(0)) client.write(body);
    }),
  ]);
  t.ok(idle.seconds > 0.9 && idle.seconds < 3, `${idle.seconds} s`);
  t.ok(slow.seconds > 4.5 && slow.seconds < 8, `${slow.seconds} s`);
  t.ok(fast.bytes > 8_388_608 && fast.bytes < 10_000_000, `${fast.bytes} bytes`);
});

t.test("A graceful shutdown does not wait for clients that still send", async (t) => {
  const listPets = async () => {
    await pause(800); // longer than idle connections stay open
    return { status: 200, body: [] };
  };
  const service = await start(t, { handlers: { ...handlers, listPets } });
  const [lingering, busy] = [await open(service), await open(service)];
  lingering.client.write("nonsense\r\n\r\n");
  await once(lingering.client, "end");
  busy.client.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`);
  const response = once(busy.client, "data");
  await once(service.app.server, "request");
  const timer = setInterval(() => lingering.client.write("x"), 100);
  t.teardown(() => clearInterval(timer));
  const began = performance.now();
  await service.close();
  const ms = performance.now() - began;
  t.match(String(await response), /^HTTP\/1\.1 200 OK\r\n/);
  t.ok(ms < 1_500, `it took ${ms} ms`);
  for (const { client } of [lingering, busy]) client.destroy();
});

t.test("Executes no request behind the one whose response closes the connection", async (t) => {
  const service = await start(t);
  const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`;
  const pet = '{"name":"Rex","categoryId":1}';
  const create = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${pet.length}\r\n\r\n${pet}`;
  const last = `GET /v1/pets HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
  t.match(await service.raw(last + create), [{ status: 200, headers: { connection: "close" } }]);
  const tooLong = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;
  const { client, server } = await open(service);
  client.write(tooLong);
  await once(client, "end"); // the response was sent
  client.write(" ".repeat(size));
  client.end(create);
  await once(server, "close");
  t.equal((await service.call("GET", "/v1/pets")).text, "[]");
});
