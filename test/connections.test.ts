// Connections: timeouts, clients that disconnect, and bodies that are read only after authentication.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import t from "tap";
import { parse } from "yaml";
import { documentText } from "./support/files.ts";
import { minimalPet, start } from "./support/service.ts";
import { until } from "./support/wait.ts";

const maxBytes: number = parse(documentText).paths["/pets"].post.requestBody["x-max-bytes"];
const service = await start(t);
const head = (key: string, ...headers: string[]) =>
  [
    "POST /v1/pets HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    ...headers,
    "\r\n",
  ].join("\r\n");
const connectAndWrite = (bytes: string) => {
  const socket = connect(service.port, "127.0.0.1");
  socket.write(bytes);
  return socket;
};

t.test("Sets all timeouts of a connection", async (t) => {
  const { timeout, keepAliveTimeout, headersTimeout, requestTimeout } = service.app.server;
  t.same(
    { timeout, keepAliveTimeout, headersTimeout, requestTimeout },
    { timeout: 120_000, keepAliveTimeout: 72_000, headersTimeout: 15_000, requestTimeout: 30_000 },
  );
});

t.test("Asks for a body, and reads it, only after authentication", async (t) => {
  const body = JSON.stringify(minimalPet);
  const expecting = (key: string) =>
    head(key, `Content-Length: ${body.length}`, "Expect: 100-continue", "Connection: close") + body;
  t.match(await service.raw(expecting("psk_no")), [{ status: 401 }], "sends no 100 Continue without a valid key");
  const socket = connect(service.port, "127.0.0.1").end(expecting(service.key));
  t.match(await readText(socket), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
  const old = expecting(service.key).replace("HTTP/1.1", "HTTP/1.0");
  t.match(await service.raw(old), [{ status: 201 }], "sends no 100 Continue to HTTP/1.0");
  const large = head(service.key, `Content-Length: ${maxBytes + 1}`, "Expect: 100-continue");
  t.match(await service.raw(large, "more"), [{ status: 413 }], "does not ask for a body that is too large");
  for (const length of ["Content-Length: 2000000", "Transfer-Encoding: chunked"])
    t.match(
      await service.raw(head("psk_no", length), "more"),
      [{ status: 401, headers: { connection: "close" } }],
      `closes the connection instead of reading the rest of a large body (${length})`,
    );
  t.match(
    await service.raw(head("psk_no", "Content-Length: 1000", "Connection: keep-alive"), "more"),
    [{ status: 401, headers: { connection: "keep-alive" } }],
    "keeps the connection if little of the body is left",
  );
});

t.test("Logs no failure if clients disconnect in the middle of a request", async (t) => {
  const { text: before } = await service.call("GET", "/v1/pets");
  for (const bytes of [
    `${head(service.key, "Content-Length: 100")}{`,
    `${head(service.key, "Transfer-Encoding: chunked")}1\r\n{`,
    "GET /v1/pe",
  ]) {
    const accepted = once(service.app.server, "connection");
    const client = connectAndWrite(bytes);
    const [socket] = (await accepted) as [Socket];
    await until(
      () => (socket.bytesRead === bytes.length ? true : undefined),
      () => `received ${socket.bytesRead} of ${bytes.length} bytes`,
    );
    client.resetAndDestroy();
    await until(
      () => (socket.closed ? true : undefined),
      () => "the service keeps the connection",
    );
  }
  const { status, text } = await service.call("GET", "/v1/pets");
  t.same({ status, text }, { status: 200, text: before }, "and creates no pet");
  t.same(
    service.logs.filter(({ level }) => Number(level) > 30),
    [],
  );
});

// Last, since it shortens the timeouts of the service.
t.test("Responds with 408 if the headers or the body take too long", async (t) => {
  Object.assign(service.app.server, { headersTimeout: 100, requestTimeout: 200 });
  const requests = ["GET /v1/pets HTTP/1.1\r\nHost:", `${head(service.key, "Content-Length: 100")}{`];
  // At the same time, since Node checks for timeouts once per second.
  for (const answer of await Promise.all(requests.map((bytes) => readText(connectAndWrite(bytes))))) {
    t.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    t.match(answer, /"code":"request_timeout"/);
  }
});
