// Malformed, slow and interrupted requests, and the order of their responses in a pipeline.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { buffer as readBuffer, text as readText } from "node:stream/consumers";
import t from "tap";
import { parse } from "yaml";
import { documentText } from "../../support/files.ts";
import { minimalPet, start } from "../../support/service.ts";
import { until } from "../../support/wait.ts";

const maxBytes: number = parse(documentText).paths["/pets"].post.requestBody["x-max-bytes"];
const service = await start(t);
const head = `Host: x\r\nAuthorization: Bearer ${service.key}\r\n`;
const get = `GET /v1/pets HTTP/1.1\r\n${head}\r\n`;
const body = JSON.stringify(minimalPet);
const openPost = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\n`;
const post = `${openPost}Content-Length: ${body.length}\r\n\r\n${body}`;
const chunkedBody = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const badChunk = `${openPost}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
const brew = "BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n";
const tunnel = "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n";
const connectAndWrite = (bytes: string) => {
  const socket = connect(service.port, "127.0.0.1");
  socket.write(bytes);
  return socket;
};

t.test("Responds to malformed HTTP with an Error body", async (t) => {
  const line = "GET /v1/pets HTTP/1.1\r\n";
  const headers = ["x-content-type-options", "x-request-id", "content-security-policy", "date", "link"];
  const cases: [string, string, number, string][] = [
    ["not HTTP", "hello\r\n\r\n", 400, "malformed_request"],
    ["an unknown method", brew, 501, "not_implemented"],
    ["a method in lower case", brew.replace("BREW /", "get http://x/"), 501, "not_implemented"],
    ["a method without a target", "BREW\r\n\r\n", 400, "malformed_request"],
    ["a method that is no token", brew.replace("W", "W@"), 400, "malformed_request"],
    ["no version", "GET /v1/pets\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["HTTP/9.9", "GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["no Host", `${line}\r\n`, 400, "malformed_request"],
    ["two Hosts", `${line}Host: x\r\nHost: y\r\n\r\n`, 400, "malformed_request"],
    ["an empty host in the URL", "GET http:///v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["only a port in the URL", "GET http://:80/v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["a user in the URL", "GET http://u@x/v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ...["[[[", "a:b:c", "[::1", "[1.2]", "a b", "%zz", "a:b", "[::1%25eth0]"].map(
      (host): [string, string, number, string] => [
        `Host: ${host}`,
        `${line}Host: ${host}\r\n\r\n`,
        400,
        "malformed_request",
      ],
    ),
    ...["gzip, chunked", "x, chunked", ", deflate, Chunked"].map((coding): [string, string, number, string] => [
      `Transfer-Encoding: ${coding}`,
      `${openPost}Transfer-Encoding: ${coding}\r\n\r\n${chunkedBody}`,
      501,
      "not_implemented",
    ]),
    [
      "Transfer-Encoding: chunked, chunked",
      `${openPost}Transfer-Encoding: chunked, chunked\r\n\r\n${chunkedBody}`,
      400,
      "malformed_request",
    ],
    ["a target without a path", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 404, "path_not_found"],
    ["a fragment", "GET /v1/pets#x HTTP/1.1\r\nHost: x\r\n\r\n", 404, "path_not_found"],
    ["headers over 16 KB", `${line}Host: x\r\nX: ${"y".repeat(17_000)}\r\n\r\n`, 431, "headers_too_large"],
    ["a malformed chunk", badChunk, 400, "malformed_request"],
    [
      "Content-Length and Transfer-Encoding",
      `${openPost}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "malformed_request",
    ],
    ["CONNECT", tunnel, 400, "malformed_request"],
    ["RTSP", "PLAY /v1/pets RTSP/1.0\r\nHost: x\r\n\r\n", 400, "malformed_request"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed_request"],
  ];
  for (const [name, bytes, status, code] of cases) {
    const responses = await service.raw(bytes);
    t.match(responses, [{ status, body: { code, status } }], name);
    t.equal(responses.length, 1);
    for (const header of headers) t.ok(responses[0]?.headers[header], header);
  }
});

t.test("Accepts unusual requests that HTTP allows", async (t) => {
  t.match(
    await service.raw(`GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${service.key}\r\n\r\n`),
    [{ status: 200 }],
    "HTTP/1.0 without Host",
  );
  t.match(
    await service.raw(post.replace("Content-Length", "Expect: the-impossible\r\nContent-Length")),
    [{ status: 201 }],
    "ignores an unknown Expect",
  );
  for (const host of ["x", "[::1]:3000", "x%2dy.example:80", "127.0.0.1:"]) {
    t.match(await service.raw(get.replace("/v1", `http://${host}/v1`)), [{ status: 200 }], `http://${host}`);
    t.match(await service.raw(get.replace("Host: x", `Host: ${host}`)), [{ status: 200 }], `Host: ${host}`);
  }
  t.match(await service.raw(get.replace("Host: x", "Host: ")), [{ status: 200 }], "an empty Host");
  for (const coding of ["Chunked", ", chunked"])
    t.match(
      await service.raw(`${openPost}Transfer-Encoding: ${coding}\r\n\r\n${chunkedBody}`),
      [{ status: 201 }],
      coding,
    );
  t.match(await service.raw(get.replace("GET /v1", "PROPFIND http://x/v1")), [{ status: 405 }]);
  const pipelined = await service.raw(`${get}GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  t.match(pipelined, [{ status: 200 }, { status: 401 }], "two requests in one packet, in order");
  const many = Array.from({ length: 1_500 }, (_, n) => `x${n}:\r\n`).join("");
  t.match(await service.raw(get.replace(head, many + head)), [{ status: 200 }], "1,500 headers before Authorization");
  const upgrade = `GET /healthz HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
  t.match(
    await service.raw(upgrade),
    [{ status: 200, headers: { connection: "close" } }],
    "ignores Upgrade and closes the connection",
  );
  const old = `${openPost.replace("1.1", "1.0")}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n`;
  t.match(
    await service.raw(old + chunkedBody),
    [{ status: 201, headers: { connection: "close" } }],
    "Transfer-Encoding in HTTP/1.0 closes the connection (RFC 9112, section 6.1)",
  );
});

t.test("Responds in the order of the requests if one of them is malformed", async (t) => {
  t.match(await service.raw(`${post}garbage\r\n\r\n`), [{ status: 201 }, { status: 400 }]);
  t.match(await service.raw(`${post}${get}${brew}`), [{ status: 201 }, { status: 200 }, { status: 501 }]);
  t.match(await service.raw(`${post}${brew}`), [{ status: 201 }, { status: 501 }]);
  const rtsp = "PLAY / RTSP/1.0\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
  for (const bad of [badChunk, tunnel, rtsp])
    t.match(await service.raw(post + get + bad), [{ status: 201 }, { status: 200 }, { status: 400 }]);
});

t.test("Sends nothing after the response to a final request (RFC 9112, section 9.6)", async (t) => {
  const final = get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
  for (const next of [get, post, "garbage\r\n\r\n", brew, tunnel]) {
    t.match(await service.raw(final + next), [{ status: 200 }]);
    t.equal((await service.raw(final + next)).length, 1, `Connection: close, then ${next.slice(0, 10)}`);
    t.equal((await service.raw(final.replace("1.1", "1.0") + next)).length, 1, `HTTP/1.0, then ${next.slice(0, 10)}`);
    t.equal((await service.raw(post + final + next)).length, 2, "behind another request");
  }
});

t.test("Responds to the request behind one that it rejects", async (t) => {
  const chunked = badChunk.replace("\r\n\r\nzz", "\r\n\r\n2\r\n{}\r\n0\r\n"); // a key may contain zz
  const tooLarge = " ".repeat(maxBytes + 5_000);
  const rejected: [string, string][] = [
    ["not JSON", post.replace(body, "x".repeat(body.length))],
    ["too large", post.replace(body, tooLarge).replace(/(?<=Length: )\d+/, String(tooLarge.length))],
    ["no key", chunked.replace(service.key, "x")],
    ["no such path", chunked.replace("pets", "nope")],
  ];
  for (const [name, request] of rejected)
    t.match(
      (await service.raw(request + post)).map(({ status }) => status >= 400),
      [true, false],
      name,
    );
});

t.test("Writes no other response into one that has begun", async (t) => {
  // The client reads slowly, so that the service has only begun to respond when more bytes arrive.
  const interrupt = async (headers: string, bytes: string) => {
    const socket = connectAndWrite(`GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\n${head}${headers}\r\n`);
    await once(socket, "readable");
    socket.write(bytes);
    const received = await readBuffer(socket);
    const start = received.indexOf("\r\n\r\n") + 4;
    const length = Number(/content-length: (\d+)/i.exec(String(received.subarray(0, start)))?.[1]);
    return String(received.subarray(start + length));
  };
  t.match(await interrupt("", "garbage\r\n\r\n"), /^HTTP\/1\.1 400 /, "finishes it first");
  t.equal(
    await interrupt("Transfer-Encoding: chunked\r\n", "zz\r\n"),
    "",
    "sends nothing after it if its own request is malformed",
  );
});

t.test("Logs no failure if clients disconnect in the middle of a request", async (t) => {
  const { text: before } = await service.call("GET", "/v1/pets");
  for (const bytes of [
    `${openPost}Content-Length: 100\r\n\r\n{`,
    `${openPost}Transfer-Encoding: chunked\r\n\r\n1\r\n{`,
    "GET /v1/pe",
  ]) {
    const accepted = once(service.app.server, "connection");
    const client = connectAndWrite(bytes);
    const [socket] = (await accepted) as [Socket];
    await until(
      () => socket.bytesRead === bytes.length,
      () => `received ${socket.bytesRead} of ${bytes.length} bytes`,
    );
    client.resetAndDestroy();
    await until(() => socket.closed, "the service keeps the connection");
  }
  const { status, text } = await service.call("GET", "/v1/pets");
  t.same({ status, text }, { status: 200, text: before }, "and creates no pet");
  t.same(
    service.logs.filter(({ level }) => Number(level) > 30),
    [],
  );
});

t.test("Sets all timeouts of a connection", async (t) => {
  const { timeout, keepAliveTimeout, headersTimeout, requestTimeout } = service.app.server;
  t.same(
    { timeout, keepAliveTimeout, headersTimeout, requestTimeout },
    { timeout: 120_000, keepAliveTimeout: 72_000, headersTimeout: 15_000, requestTimeout: 30_000 },
  );
});

// Last, since it shortens the timeouts of the service.
t.test("Responds with 408 if the headers or the body take too long", async (t) => {
  Object.assign(service.app.server, { headersTimeout: 100, requestTimeout: 200 });
  const requests = ["GET /v1/pets HTTP/1.1\r\nHost:", `${openPost}Content-Length: 100\r\n\r\n{`];
  // At the same time, since Node checks for timeouts once per second.
  for (const response of await Promise.all(requests.map((bytes) => readText(connectAndWrite(bytes))))) {
    t.match(response, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    t.match(response, /"code":"request_timeout"/);
  }
});
