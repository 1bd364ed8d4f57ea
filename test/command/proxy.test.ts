// `openapi-server proxy`: compares the requests and responses of an existing server with a document.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import t, { type Test } from "tap";
import { documentOf } from "../support/document-server.ts";
import { writeFiles } from "../support/files.ts";
import { runOpenApi as run, startOpenApi } from "../support/openapi-command.ts";
import { freePort } from "../support/port.ts";
import { type ProxiedOptions, startProxy } from "../support/proxied.ts";
import { until } from "../support/wait.ts";

const book = 'content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } }';
const text = documentOf(
  `  /books:
    get: { operationId: listBooks, parameters: [{ name: limit, in: query, schema: { type: integer } }], responses: { 200: { description: x, headers: { X-Total: { required: true, schema: { type: integer } } }, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } } } } } }
    post: { operationId: addBook, requestBody: { required: true, ${book} }, responses: { 201: { description: x, ${book} }, 400: { description: x, content: { application/json: { schema: { type: object, required: [error] } } } } } }
  /books/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getBook, responses: { 200: { description: x, ${book} }, 404: { description: x } } }
    delete: { operationId: removeBook, security: [{ token: [] }], responses: { 204: { description: x } } }
  /books/{id}/cover:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getCover, responses: { 200: { description: x, content: { image/png: { schema: { type: string, format: binary } } } } } }
`,
  `components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas: { Book: { type: object, required: [id, title], properties: { id: { type: integer, format: int64 }, title: { type: string } } } }
`,
).replace(/paths:/, "servers: [{ url: /v1 }]\npaths:");

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** Starts an upstream, and a proxy of it. Returns what both have got. */
async function start(t: Test, answer: Answer, options: ProxiedOptions = {}) {
  const seen: { method?: string | undefined; url?: string | undefined; body: string }[] = [];
  const upstream = createServer(async (request, response) => {
    const body = await readText(request);
    seen.push({ method: request.method, url: request.url, body });
    answer(request, body, response);
  });
  const proxy = await startProxy(t, text, upstream, options);
  const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const init = { method, headers: { ...type, ...headers }, ...(body && { body }) };
    const response = await fetch(`${proxy.url}${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { ...proxy, send, seen };
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
};

t.test("What keeps the contract passes as it is", async (t) => {
  const raw = '{ "id": 9007199254740993, "title": "A" }';
  const { send, seen, output } = await start(t, ({ method, url }, _, response) => {
    if (method === "DELETE") return void response.writeHead(204).end();
    if (url === "/v1/books/1/cover") {
      response.writeHead(200, { "Content-Type": "image/png", ETag: '"e"' });
      return void response.end(Buffer.from([0, 255, 10]));
    }
    if (url?.startsWith("/v1/books?")) return json(response, 200, `[${raw}]`, { "X-Total": "1" });
    if (url === "/v1/books/2") return void response.writeHead(404).end();
    json(response, method === "POST" ? 201 : 200, raw, { "X-Extra": "x", "Set-Cookie": ["a=1", "b=2"] });
  });
  const created = await send("POST", "/v1/books", raw);
  t.match(created, { status: 201, text: raw }, "byte for byte");
  t.equal(created.headers.get("x-extra"), "x");
  t.same(created.headers.getSetCookie(), ["a=1", "b=2"]);
  t.match(seen.at(-1), { method: "POST", url: "/v1/books", body: raw });
  t.match(await send("GET", "/v1/books?limit=5"), { status: 200, text: `[${raw}]` });
  t.match(await send("GET", "/v1/books/2"), { status: 404, text: "" });
  t.match(await send("DELETE", "/v1/books/1", undefined, { Authorization: "Bearer x" }), { status: 204 });
  const cover = await send("GET", "/v1/books/1/cover");
  t.match(cover, { status: 200 });
  t.equal(cover.headers.get("etag"), '"e"');
  t.match(await send("HEAD", "/v1/books/1"), { status: 200, text: "" });
  t.notMatch(output.stdout, /violates/);
});

t.test("A request that violates the document is rejected, and does not reach the server", async (t) => {
  const { send, seen, output, stop } = await start(t, (_, __, response) => json(response, 200, {}));
  for (const [method, path, body, status, message] of [
    ["POST", "/v1/books", '{"id":1}', 400, /must have the field 'title'/],
    ["POST", "/v1/books", "{", 400, /JSON/],
    ["GET", "/v1/books?limit=x", undefined, 400, /limit/],
    ["GET", "/v1/books?unknown=1", undefined, 400, /unknown/],
    ["GET", "/v1/nothing", undefined, 404, /does not exist/],
    ["PUT", "/v1/books", undefined, 405, /method/i],
    ["DELETE", "/v1/books/1", undefined, 401, /credential/],
  ] as const) {
    const response = await send(method, path, body);
    t.equal(response.status, status, `${method} ${path}`);
    t.match(response.text, message);
  }
  t.same(seen, []);
  t.match(output.stdout, /POST \/v1\/books: the request violates the document: .*'title'/);
  t.same(await stop(), { line: "7 requests, 7 of them violate the document.", exitCode: 1 });
});

t.test("A response that violates the document is a 502, which says why", async (t) => {
  const wrong: Record<string, [number, unknown, object?]> = {
    "/v1/books/1": [200, { id: 1 }],
    "/v1/books/2": [418, { id: 1, title: "A" }],
    "/v1/books/3": [200, "{"],
    "/v1/books/4": [200, "text", { "Content-Type": "text/plain" }],
    "/v1/books": [200, []],
    "/v1/books?limit=1": [200, [], { "X-Total": "many" }],
  };
  const { send, output } = await start(t, ({ url }, _, response) => {
    const [status, body, headers = {}] = wrong[`${url}`] as [number, unknown, object?];
    json(response, status, body, headers);
  });
  for (const [path, message] of [
    ["/v1/books/1", /'title'/],
    ["/v1/books/2", /the status 418, which the document does not declare/],
    ["/v1/books/3", /JSON that can't be read/],
    ["/v1/books/4", /text\/plain/],
    ["/v1/books", /no header x-total/],
    ["/v1/books?limit=1", /x-total/],
  ] as const) {
    output.stdout = "";
    const { status, text } = await send("GET", path);
    t.equal(status, 502, path);
    t.match(text, message);
    t.match(output.stdout, /the response violates the document: The upstream returned/);
    t.match(output.stdout, message);
  }
});

t.test("--report passes everything on, and reports what violates the document", async (t) => {
  const answer: Answer = (_, body, response) => json(response, 418, { got: body });
  const { send, seen, output, stop } = await start(t, answer, { flags: ["--report"] });
  t.match(await send("POST", "/v1/books", "{"), { status: 418, text: '{"got":"{"}' });
  t.match(await send("GET", "/v1/books/1"), { status: 418 });
  t.match(await send("GET", "/elsewhere"), { status: 418 });
  t.equal(seen.length, 3, "each request is sent once");
  t.match(output.stdout, /POST \/v1\/books: the request violates/);
  t.match(output.stdout, /GET \/v1\/books\/1 418: the response violates/);
  t.match(await stop(), { line: /^3 requests, 3 of them violate/ });
});

t.test("The preflight request of a browser passes, and is not counted", async (t) => {
  const cors = { "Access-Control-Allow-Origin": "*" };
  for (const flags of [[], ["--report"]]) {
    const { send, seen, stop } = await start(t, (_, __, response) => void response.writeHead(204, cors).end(), {
      flags,
    });
    const headers = { Origin: "http://page.example", "Access-Control-Request-Method": "POST" };
    for (const path of ["/v1/books", "/v1/books/x", "/elsewhere"]) {
      const response = await send("OPTIONS", path, undefined, headers);
      t.same([response.status, response.headers.get("access-control-allow-origin")], [204, "*"]);
    }
    await send("OPTIONS", "/v1/books", undefined, { "X-Origin": "no preflight request" });
    t.equal(seen.length, flags.length === 0 ? 3 : 4);
    t.same(await stop(), { line: "1 requests, 1 of them violate the document.", exitCode: 1 });
  }
});

t.test("A path that clients normalize is rejected, because another one would be compared", async (t) => {
  for (const flags of [[], ["--report"]]) {
    const { exchange, seen, output } = await start(t, (_, __, response) => json(response, 200, {}), { flags });
    const paths = [
      "/v1/x/../books",
      "/v1/books/%2E%2e/books",
      "/v1/./books",
      "/v1\\books",
      "/v1/books#/x",
      "/v1/books?a=1#",
    ];
    for (const path of paths) {
      const received = await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      t.match(received, flags.length === 0 ? /^HTTP\/1\.1 400 [\s\S]*no dot segments/ : /^HTTP\/1\.1 200/, path);
      t.ok(output.stdout.includes(`GET ${path}: the request violates the document: The path must have no dot`));
    }
    t.same(
      seen.map(({ url }) => url),
      flags.length === 0 ? [] : paths,
    );
  }
});

t.test("A service that does not respond is a 502, and lets the build fail", async (t) => {
  const { send, output, stop } = await start(t, ({ url }, _, response) => {
    if (url === "/v1/books/1") return void response.destroy();
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 100 });
    response.write('{"id"', () => response.destroy());
  });
  for (const id of [1, 2]) t.match(await send("GET", `/v1/books/${id}`), { status: 502, text: /bad_gateway/ });
  t.match(output.stdout, /GET \/v1\/books\/1: The upstream .+ does not respond.*\n/);
  const line = "2 requests, 0 of them violate the document. The service did not respond to 2.";
  t.same(await stop(), { line, exitCode: 1 });
});

t.test("The path of the upstream takes the place of the base path", async (t) => {
  const { send, seen } = await start(t, (_, __, response) => json(response, 200, { id: 1, title: "A" }), {
    path: "/api/v2/",
  });
  t.match(await send("GET", "/v1/books/1"), { status: 200 });
  t.match(seen, [{ url: "/api/v2/books/1" }]);
});

t.test("A client can't choose another server", async (t) => {
  const others: string[] = [];
  const other = createServer((request, response) => {
    others.push(`${request.url}`);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const answer: Answer = (_, __, response) => json(response, 200, {});
  const { seen, exchange, stop } = await start(t, answer, { flags: ["--report"], path: "/api" });
  const host = `127.0.0.1:${port}`;
  for (const target of [
    `http://${host}/x`,
    `//${host}/x`,
    `@${host}/x`,
    `/v1@${host}/x`,
    `/\\\\${host}/x`,
    "/v10/x",
    "*",
  ]) {
    const received = await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    t.match(received, /^HTTP\/1\.1 [245]/, target);
  }
  t.same(others, []);
  t.same(
    seen.map(({ url }) => url),
    [`//${host}/x`, `/v1@${host}/x`, `/\\\\${host}/x`, "/v10/x"],
    "paths are forwarded to the upstream",
  );
  await stop();
});

t.test("An upstream that does not respond is a 502", async (t) => {
  const file = writeFiles(t, { "books.yaml": text });
  const upstream = `http://127.0.0.1:${await freePort()}`;
  const { send, stop } = await startOpenApi(t, ["proxy", file, "--upstream", upstream]);
  const message = /The upstream http:.* does not respond/;
  t.match(await send("GET", "/v1/books/1"), { status: 502, body: { message } });
  stop();
  await until(() => process.exitCode === 1, "the exit code is 0");
  process.exitCode = 0;
  for (const wrong of ["nothing", "ftp://x"])
    t.match(await run(["proxy", file, "--upstream", wrong, "--port", "0"]), {
      code: 2,
      stderr: /must be the URL of a server/,
    });
});
