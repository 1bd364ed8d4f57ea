// Streams: binary bodies of requests, and responses of items.
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import fastify from "fastify";
import t from "tap";
import { openApi } from "../../../src/index.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const upload = (id: string, limit: number, security = "[]") => `
  /${id}:
    post:
      operationId: ${id}
      security: ${security}
      requestBody: { required: true, x-max-bytes: ${limit}, content: { application/octet-stream: {} } }
      responses: { 200: { description: x, content: { application/json: { schema: { type: integer } } } } }`;
const items = (id: string, type: string) => `
  /${id}:
    get:
      operationId: ${id}
      responses:
        200:
          description: x
          content:
            ${type}:
              itemSchema: { required: [${id === "lines" ? "data" : ""}], properties: { data: { maxLength: 5 } } }
              schema: { maxItems: 3 }`;

let result: unknown;
const failures: unknown[] = [];
const errors: string[] = [];
const codes: string[] = [];
const count = async ({ body }: Record<string, unknown>) => {
  let bytes = 0;
  try {
    for await (const chunk of body as Readable) bytes += chunk.length;
  } catch (error) {
    failures.push(error);
    throw error;
  }
  return { status: 200, body: bytes };
};
const send = async () => ({ status: 200, body: result });
const types = {
  events: "text/event-stream",
  lines: "application/jsonl",
  ndjson: "application/x-ndjson",
  sequence: "application/json-seq",
  plain: "application/x-other",
};
const { app } = await serve(
  documentOf(
    [
      upload("large", 4_000_000),
      upload("slow", 4_000_000, "[{ key: [] }]"),
      upload("small", 1_000),
      upload("ignored", 4_000_000),
      upload("ignoredSmall", 10),
      upload("failing", 4_000_000),
    ]
      .concat(Object.entries(types).map(([id, type]) => items(id, type)))
      .join(""),
    "components: { securitySchemes: { key: { type: apiKey, in: header, name: host } } }",
    "3.2.0",
  ),
  {
    security: { key: async () => sleep(50, "caller") },
    handlers: {
      large: count,
      slow: count,
      small: count,
      ignored: async () => ({ status: 200, body: 0 }),
      ignoredSmall: async () => ({ status: 200, body: 0 }),
      // As a socket to a database fails, after the client has disconnected.
      failing: async ({ body }) => {
        (body as Readable).on("error", () => {});
        await sleep(200);
        throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      },
      ...Object.fromEntries(Object.keys(types).map((id) => [id, send])),
    },
  },
);
/** Gets a response of items. */
const inject = async (method: "GET", url: string) => {
  const { statusCode, payload, headers } = await app.inject({ method, url, headers: { host: "x" } });
  return { status: statusCode, text: payload, headers };
};
app.addHook("onError", async (_request, _reply, error) => {
  errors.push(error.message);
});
app.addHook("onSend", async (request) => {
  codes.push(request.errorCode);
});
t.teardown(() => app.close());
await app.listen({ port: 0, host: "127.0.0.1" });
const { port } = app.server.address() as AddressInfo;
t.beforeEach(() => {
  failures.length = 0;
  errors.length = 0;
  codes.length = 0;
});

/** Sends a body in chunks. */
async function post(path: string, chunks: Iterable<string | Buffer>, headers: Record<string, string> = {}) {
  const type = { "content-type": "application/octet-stream", ...headers };
  const outgoing = request({ port, host: "127.0.0.1", path: `/${path}`, method: "POST", headers: type });
  outgoing.on("error", () => {});
  Readable.from(chunks).pipe(outgoing);
  const [incoming] = await once(outgoing, "response");
  return { status: incoming.statusCode, text: await text(incoming) };
}

t.test("Passes on a body of many small chunks completely", async (t) => {
  const chunks = (size: number, count: number) => Array(count).fill(Buffer.alloc(size, 1));
  t.same(await post("large", chunks(500, 4_000)), { status: 200, text: "2000000" });
  t.same(await post("large", chunks(2_000_000, 1)), { status: 200, text: "2000000" });
  t.same(await post("large", []), { status: 200, text: "0" });
  t.same(await post("small", chunks(1, 1_000)), { status: 200, text: "1000" });
});

t.test("Responds with 413 to more bytes than the operation allows", async (t) => {
  const tooLarge = { status: 413, text: /The body exceeds the limit of 1000 bytes\./ };
  t.match(await post("small", ["x".repeat(600), "x".repeat(600)]), tooLarge);
  t.match(await post("small", ["x".repeat(1_001)], { "content-length": "1001" }), tooLarge);
  t.same(failures.length, 1, "with a known length, the handler is not called");
});

t.test("Passes on a body that waits for the check of its credential, in segments or chunks of any size", async (t) => {
  const head = "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n";
  for (const [framing, body] of [
    ["Transfer-Encoding: chunked", `${"1\r\nx\r\n".repeat(20_000)}0\r\n\r\n`],
    ["Content-Length: 200000", "x".repeat(200_000)],
  ] as const) {
    const socket = connect(port, "127.0.0.1").setNoDelay();
    socket.write(`${head}${framing}\r\n\r\n`);
    const response = text(socket);
    for (let n = 0; n < body.length; n += 1_000) {
      socket.write(body.slice(n, n + 1_000));
      await new Promise(setImmediate);
    }
    const length = framing.includes("chunked") ? 20_000 : 200_000;
    t.match(await response, new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*\\r\\n${length}$`));
  }
});

t.test("Asks a client that waits for the body only if its length is allowed", async (t) => {
  const head = "Host: x\r\nContent-Type: application/octet-stream\r\nExpect: 100-continue\r\nConnection: close\r\n";
  for (const [version, length, expected] of [
    ["1.1", 2, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /],
    ["1.0", 2, /^HTTP\/1\.1 200 /],
    ["1.1", 1_001, /^HTTP\/1\.1 413 /],
  ] as const) {
    const socket = connect(port, "127.0.0.1");
    socket.write(`POST /small HTTP/${version}\r\n${head}Content-Length: ${length}\r\n\r\n`);
    if (length === 2) setTimeout(() => socket.write("ab"), 20);
    t.match(await text(socket), expected);
  }
});

t.test("Asks such a client once in an existing app, whose server asks it", async (t) => {
  const app = fastify();
  t.teardown(() => app.close());
  const body = { content: { "application/json": { schema: {} } } };
  const document = {
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: { "/a": { post: { operationId: "a", requestBody: body, responses: { "204": { description: "" } } } } },
  };
  await app.register(openApi, { document, handlers: { a: async () => ({ status: 204 }) } } as never);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(
    "POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
  );
  setTimeout(() => socket.write("{}"), 20);
  t.match(await text(socket), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 204 /);
});

/** Sends the headers and the first byte of a body. */
async function beginUpload(path: string) {
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: 99\r\n\r\nx`,
  );
  await sleep(50);
  return socket;
}

t.test("Logs that a handler failed with ECONNRESET after its client has disconnected", async (t) => {
  const socket = await beginUpload("failing");
  socket.resetAndDestroy();
  for (let wait = 0; wait < 100 && codes.length === 0; wait++) await sleep(20);
  t.same(codes, ["internal_error"]);
});

t.test("Fails the stream if the client disconnects", async (t) => {
  const socket = await beginUpload("large");
  socket.destroy();
  for (let wait = 0; wait < 100 && failures.length === 0; wait++) await sleep(20);
  t.match(failures, [{ code: "ECONNRESET" }]);
});

t.test("Reads the next request of a connection if a handler ignores a body", async (t) => {
  for (const [path, size] of [
    ["ignored", 500_000],
    ["ignoredSmall", 500_000],
  ] as const) {
    const socket = connect(port, "127.0.0.1");
    const chunk = `${size.toString(16)}\r\n${"x".repeat(size)}\r\n0\r\n\r\n`;
    const head = `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n`;
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
    socket.write("GET /lines HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    result = [{ data: "next" }];
    t.match(await text(socket), /^HTTP\/1\.1 200 .*HTTP\/1\.1 200 .*"next"/s, path);
  }
});

t.test("Writes items of arrays, iterables and generators in the form of each media type", async (t) => {
  const list = [{ data: "a" }, { data: "b" }];
  async function* generate() {
    yield* list;
  }
  for (const [id, expected] of [
    ["lines", '{"data":"a"}\n{"data":"b"}\n'],
    ["ndjson", '{"data":"a"}\n{"data":"b"}\n'],
    ["sequence", '\u001e{"data":"a"}\n\u001e{"data":"b"}\n'],
    ["events", "data: a\n\ndata: b\n\n"],
  ] as const)
    for (const body of [list, new Set(list), generate()]) {
      result = body;
      const response = await inject("GET", `/${id}`);
      t.match(response, { status: 200, text: expected, headers: { "content-type": types[id] } }, id);
    }
});

t.test("Writes the fields of events, and no line break that would end one", async (t) => {
  for (const [item, expected] of [
    [{ event: "e\n!", id: 5, retry: 9, data: "a" }, "event: e !\nid: 5\nretry: 9\ndata: a\n\n"],
    [{ data: "a\nb\r" }, "data: a\ndata: b\ndata: \n\n"],
    [{ data: { x: 1n } }, 'data: {"x":1}\n\n'],
    [{ id: "a" }, "id: a\n\n"],
    [{ data: null }, "data: null\n\n"],
    ["text", "data: text\n\n"],
    [null, "data: null\n\n"],
    [[1], "data: [1]\n\n"],
  ] as const) {
    result = [item];
    t.match(await inject("GET", "/events"), { status: 200, text: expected });
  }
});

t.test("An item with other members than those of an event is the data of one", async (t) => {
  result = [{ id: 7, name: "x" }, { lat: 1 }];
  t.equal((await inject("GET", "/events")).text, 'data: {"id":7,"name":"x"}\n\ndata: {"lat":1}\n\n');
});

t.test("Sends streams of bytes and texts unchanged", async (t) => {
  for (const create of [
    () => Readable.from(["raw"]),
    () => new Blob(["raw"]).stream(),
    () => Buffer.from("raw"),
    () => "raw",
  ])
    for (const id of ["events", "lines", "plain"]) {
      result = create();
      t.match(await inject("GET", `/${id}`), { status: 200, text: "raw" }, id);
    }
});

t.test("Responds with 500 if the first item, or the number of items, is invalid", async (t) => {
  for (const [body, message] of [
    [[{ data: "longer" }], /whose part 'data' must have at most 5 characters/],
    [[{}], /200, which must have the field 'data'/],
    [Array(4).fill({ data: "" }), /200, which must have at most 3 items/],
    [5, "The handler must return application/jsonl as a string, bytes or a stream."],
  ] as const) {
    errors.length = 0;
    result = body;
    t.match(await inject("GET", "/lines"), { status: 500 });
    t.match(errors[0], message);
  }
});

t.test("Ends the connection at an invalid item behind others, so that the client notices", async (t) => {
  async function* generate() {
    yield { data: "a" };
    await sleep(20);
    yield { data: "longer" };
  }
  result = generate();
  const [response] = await once(request({ port, host: "127.0.0.1", path: "/lines" }).end(), "response");
  await t.rejects(text(response), { code: "ECONNRESET" });
});
