// The proxy forwards messages as they were sent, in both directions.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { setDefaultCACertificates } from "node:tls";
import t, { type Test } from "tap";
import { createCertificate } from "../support/certificate.ts";
import { documentOf } from "../support/document-server.ts";
import { startProxy } from "../support/proxied.ts";
import { pause, until } from "../support/wait.ts";

const any = "responses: { default: { description: x, content: { '*/*': {} } } }";
const document = documentOf(`  /a:
    get: { operationId: get, ${any} }
    post: { operationId: post, requestBody: { content: { "*/*": {} } }, ${any} }
    trace: { operationId: trace, ${any} }
    delete: { operationId: delete, ${any} }
`);

const message = (...lines: string[]) => lines.join("\r\n");

/** Starts a proxy of an upstream that responds to each request with the same bytes. Returns the bytes of the requests, too. */
async function startRaw(t: Test, response: string, flags: string[] = []) {
  const requests: string[] = [];
  const upstream = createTcpServer((socket) => {
    socket.setEncoding("latin1").on("error", () => {});
    let request = "";
    socket.on("data", (chunk) => {
      request += chunk;
      const [head = "", body = ""] = request.split("\r\n\r\n", 2);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const isChunked = /^transfer-encoding/im.test(head);
      if (!request.includes("\r\n\r\n") || (isChunked ? !request.endsWith("0\r\n\r\n") : body.length < length)) return;
      requests.push(request);
      request = "";
      socket.write(response, "latin1");
      if (!/^(content-length|transfer-encoding)|^HTTP.* [23]04/im.test(response)) socket.end();
    });
  });
  return { ...(await startProxy(t, document, upstream, { flags })), requests };
}

const startHttp = (t: Test, listener: RequestListener, flags: string[] = []) =>
  startProxy(t, document, createServer(listener), { flags });

const ok = message("HTTP/1.1 200 OK", "Content-Type: image/png", "Content-Length: 2", "", "ok");

t.test("The header fields of a request keep their order, case and number, and its target its spelling", async (t) => {
  const { exchange, requests, port } = await startRaw(t, ok, ["--report"]);
  const lines = ["X-B: 1", "x-a: \xe9", "ACCEPT: x/y", "X-B: 2", "Cookie: a=1", "X-B:   3", "cookie: b=2"];
  const target = "/%7ea/../a?q=%C3%A9&&x=[]|\\";
  await exchange(message(`GET ${target} HTTP/1.1`, "X-First: 1", "Host: x", ...lines, "Connection: close", "", ""));
  const [sent = ""] = requests;
  const address = /^Host: (127\.0\.0\.1:\d+)\r$/m.exec(sent)?.[1];
  t.not(address, `127.0.0.1:${port}`);
  const expected = [`GET ${target} HTTP/1.1`, "X-First: 1", `Host: ${address}`, ...lines].map((line) =>
    line.replace(":   ", ": "),
  );
  t.equal(sent, message(...expected, "Connection: keep-alive", "", ""));
});

t.test("The body of a request keeps its bytes and its framing, with each method", async (t) => {
  const { exchange, requests, output } = await startRaw(t, ok);
  for (const [method, head, body] of [
    ["GET", ["Content-Type: application/json", "Content-Length: 3"], '"\xe9"'],
    ["POST", ["Content-Type: x/y", "content-length: 2"], "\xff\x00"],
    ["POST", ["Content-Type: x/y", "Transfer-Encoding: chunked"], "3\r\nabc\r\n0\r\n\r\n"],
    ["GET", ["Transfer-Encoding: chunked"], "1\r\na\r\n0\r\n\r\n"],
    ["POST", ["Content-Length: 0"], ""],
    ["POST", ["Content-Type: x/y", "Expect: 100-continue", "Content-Length: 1"], "a"],
    ["POST", ["Content-Type: x/y", "Connection: close, Content-Length", "Content-Length: 1"], "a"],
    ["TRACE", [], ""],
    ["DELETE", [], ""],
    ["HEAD", [], ""],
  ] as const) {
    const response = await exchange(
      message(`${method} /a HTTP/1.1`, "Host: x", ...head, "Connection: close", "", body),
    );
    t.match(response, /HTTP\/1\.1 200 OK/, `${method} ${head}`);
    const [sentHead = "", ...sentBody] = `${requests.shift()}`.split("\r\n\r\n");
    const fields = sentHead.split("\r\n").filter((line) => !/^(host|connection):/i.test(line));
    t.same(fields, [`${method} /a HTTP/1.1`, ...head.filter((line) => !/^connection/i.test(line))]);
    t.equal(sentBody.join("\r\n\r\n"), body);
  }
  await exchange(message("POST /a HTTP/1.1", "Host: x", "Connection: close", "", ""));
  t.match(requests.shift(), /\r\nContent-Length: 0\r\n/, "Node would add Transfer-Encoding");
  t.notMatch(output.stdout, /violates/);
});

t.test("A client of HTTP/1.0 without Host gets a response without chunks", async (t) => {
  const chunked = message(
    "HTTP/1.1 200 OK",
    "Content-Type: x/y",
    "Transfer-Encoding: chunked",
    "",
    "1",
    "a",
    "0",
    "",
    "",
  );
  const { exchange, requests } = await startRaw(t, chunked);
  t.match(await exchange(message("GET /a HTTP/1.0", "", "")), /\r\n\r\na$/);
  t.match(requests, [/^GET \/a HTTP\/1\.1\r\nHost: 127/]);
});

t.test("Only the header fields of a connection are removed, in both directions", async (t) => {
  const own = ["Keep-Alive: timeout=9", "Proxy-Connection: x", "TE: trailers", "Upgrade: x", "X-Hop: 1"];
  const named = "Connection: Upgrade, x-hop , keep-alive";
  const { exchange, requests } = await startRaw(
    t,
    message("HTTP/1.1 200 Fine", named, "X-Z: 1", ...own, "Date: x", "x-a: 2", "X-Z: 3", "Content-Length: 2", "", "ok"),
  );
  const kept = ["Authorization: a", "Proxy-Authorization: b", "User-Agent: c", "Via: d"];
  const received = await exchange(
    message("GET /a HTTP/1.1", "Host: x", named, ...own, ...kept, "Connection: close", "", ""),
  );
  t.equal(
    `${requests[0]}`.replace(/^Host.*\r\n/m, ""),
    message("GET /a HTTP/1.1", ...kept, "Connection: keep-alive", "", ""),
  );
  t.equal(
    received,
    message(
      "HTTP/1.1 200 Fine",
      "X-Z: 1",
      "Date: x",
      "x-a: 2",
      "X-Z: 3",
      "Content-Length: 2",
      "Connection: close",
      "",
      "ok",
    ),
  );
});

t.test("A response without a body keeps its Content-Length and is not compared with one", async (t) => {
  for (const [method, status] of [
    ["HEAD", "200 OK"],
    ["GET", "304 Not Modified"],
  ])
    for (const type of ["application/json", "image/png"]) {
      const { exchange, output } = await startRaw(
        t,
        message(`HTTP/1.1 ${status}`, `Content-Type: ${type}`, "Content-Length: 7", "Date: x", "", ""),
      );
      t.equal(
        await exchange(message(`${method} /a HTTP/1.1`, "Host: x", "Connection: close", "", "")),
        message(
          `HTTP/1.1 ${status}`,
          `Content-Type: ${type}`,
          "Content-Length: 7",
          "Date: x",
          "Connection: close",
          "",
          "",
        ),
      );
      t.notMatch(output.stdout, /violates/);
    }
});

t.test("Connections to the upstream are used again, and a response can take longer than they stay idle", async (t) => {
  const sockets = new Set<Socket>();
  const { url } = await startHttp(t, ({ socket, headers }, response) => {
    sockets.add(socket);
    setTimeout(() => response.writeHead(200, { "Content-Type": "x/y" }).end("a"), Number(headers["x-delay"] ?? 0));
  });
  for (const delay of ["0", "1500", "0"])
    t.equal(await (await fetch(`${url}/a`, { headers: { "x-delay": delay } })).text(), "a");
  t.equal(sockets.size, 1);
  const [socket] = sockets;
  await until(() => socket?.destroyed, "the idle connection is open");
  t.equal((await fetch(`${url}/a`)).status, 200);
});

t.test("A stream passes while it arrives, and its request ends when the client disconnects", async (t) => {
  let isClosed = false;
  const { url } = await startHttp(t, (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n");
    response.once("close", () => {
      isClosed = true;
    });
  });
  const controller = new AbortController();
  const { body } = await fetch(`${url}/a`, { signal: controller.signal });
  const { value } = (await body?.getReader().read()) ?? {};
  t.equal(`${Buffer.from(value as Uint8Array)}`, "data: 1\n\n");
  controller.abort();
  await until(() => isClosed, "the upstream still responds");
});

t.test("A stream without an end does not keep the proxy from stopping", async (t) => {
  const { url, stop } = await startHttp(t, (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n");
  });
  const response = await fetch(`${url}/a`); // a response that nobody refers to loses its stream, without an error
  t.match(await stop(), { line: "1 requests, 0 of them violate the document." });
  await t.rejects(response.text());
});

t.test("A request to the upstream ends when the client disconnects before there is a response", async (t) => {
  const events: string[] = [];
  const { port } = await startHttp(t, (_, response) => {
    events.push("request");
    response.once("close", () => events.push("close"));
  });
  const client = connect(port, "127.0.0.1");
  client.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => events[0], "no request");
  client.destroy();
  await until(() => events[1], "the upstream still responds");
});

t.test("A response that is cut off is a 502, or ends the connection if a part was sent", async (t) => {
  for (const [type, framing] of [
    ["application/json", "Content-Length: 9"],
    ["application/json", "Transfer-Encoding: chunked"],
    ["image/png", "Content-Length: 9"],
    ["image/png", "Transfer-Encoding: chunked"],
  ]) {
    const upstream = createTcpServer((socket) => {
      socket.once("data", () => {
        socket.write(message("HTTP/1.1 200 OK", `Content-Type: ${type}`, `${framing}`, "", "2\r\n[1\r\n"));
        setTimeout(() => socket.destroy(), 50);
      });
    });
    const { exchange } = await startProxy(t, document, upstream);
    const received = await exchange(message("GET /a HTTP/1.1", "Host: x", "Connection: close", "", ""));
    if (type === "image/png") t.match(received, /200 OK[\s\S]*\r\n2\r\n\[1\r\n$/, `${type} ${framing}`);
    else t.match(received, /502 Bad Gateway[\s\S]*has not sent all of its response/, `${type} ${framing}`);
  }
});

t.test("An upstream that ends without a response, or changes the protocol, is a 502", async (t) => {
  for (const [bytes, reason] of [
    ["", "socket hang up"],
    ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "changed the protocol"],
    ["no HTTP\r\n\r\n", "Parse Error"],
  ] as const) {
    const upstream = createTcpServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(bytes)));
    const { exchange } = await startProxy(t, document, upstream);
    const received = await exchange(message("GET /a HTTP/1.1", "Host: x", "Connection: close", "", ""));
    t.match(received, /^HTTP\/1\.1 502 [\s\S]*The upstream http:[^ ]* does not respond/);
    t.match(received, reason);
  }
});

t.test("A body of a request that is too large is a 413", async (t) => {
  const { port } = await startHttp(t, () => t.fail("the request was forwarded"));
  const client = connect(port, "127.0.0.1");
  client.write(`POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 ** 25}\r\n\r\n`);
  const send = () => client.bytesRead === 0 && client.write(Buffer.alloc(2 ** 20), () => setImmediate(send));
  send();
  const [bytes] = (await once(client, "data")) as [Buffer];
  t.match(`${bytes}`, /^HTTP\/1\.1 413 .*content_too_large/s);
  client.resetAndDestroy();
});

t.test("An upstream can use HTTPS", async (t) => {
  const { cert, key } = await createCertificate(t, 1);
  const upstream = createSecureServer({ cert, key }, (_, response) => {
    response.writeHead(200, { "Content-Type": "x/y" }).end("a");
  });
  const { url } = await startProxy(t, document, upstream, { scheme: "https" });
  t.match(await (await fetch(`${url}/a`)).text(), /does not respond: .*certificate/);
  setDefaultCACertificates([cert]);
  await pause(0);
  t.equal(await (await fetch(`${url}/a`)).text(), "a");
});
