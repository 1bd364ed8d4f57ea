// Mistakes of handlers: whatever one returns or throws, the response is a 500 in the shape of all errors, the log has the
// reason, and the process lives.
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { FastifyBaseLogger } from "fastify";
import fastify from "fastify";
import { pino } from "pino";
import t from "tap";
import { createServer, HttpError, openApi, problemDetails } from "../../src/openapi/index.ts";

const secret = "a detail of the bug";

function thrower(value: unknown): () => never {
  return () => {
    throw value;
  };
}
const hostile = new Proxy({}, { get: thrower(new Error("trap")), getPrototypeOf: thrower(new Error("trap")) });
const withGetter = (name: string) =>
  Object.defineProperty(new Error(secret), name, { enumerable: true, get: thrower(new Error("getter")) });
const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
const ok = (more: object) => () => ({ status: 200, body: 1, ...more });

/** What a handler does, and what the log says about it. */
const mistakes: Record<string, [handler: () => unknown, reason: RegExp]> = {
  "throws an Error": [thrower(new Error(secret)), /a detail of the bug/],
  "throws a frozen Error": [thrower(Object.freeze(new Error(secret))), /a detail of the bug/],
  "throws undefined": [thrower(undefined), /The thrown value is not an Error: .*undefined/],
  "throws null": [thrower(null), /The thrown value is not an Error: .*null/],
  "throws a string": [thrower(secret), /The thrown value is not an Error: .*'a detail of the bug'/],
  "throws an object": [thrower({ password: secret }), /The thrown value is not an Error: .*\[Object\]/],
  "throws a function": [thrower(() => secret), /The thrown value is not an Error: .*Function/],
  "throws a symbol": [thrower(Symbol("bug")), /The thrown value is not an Error: .*Symbol\(bug\)/],
  "throws an Error of another library": [thrower({ name: "Other", message: secret, stack: secret }), /"type":"Other"/],
  "throws an Error with a cause": [thrower(new Error("outer", { cause: new Error("inner") })), /outer: inner/],
  "throws an Error that is its own cause": [
    thrower(Object.assign(new Error(secret), cyclic, { cause: cyclic })),
    /bug/,
  ],
  "throws an Error whose causes never end": [
    () => {
      const error = new Error(secret);
      error.cause = error;
      throw error;
    },
    /a detail of the bug/,
  ],
  "throws an Error whose message is no text": [thrower(Object.assign(new Error(), { message: 5 })), /"message":""/],
  ...Object.fromEntries(
    ["code", "stack", "name", "cause", "errors", "statusCode", "headers", "then"].map((name) => [
      `throws an Error whose ${name} throws`,
      [thrower(withGetter(name)), /"message":"a detail of the bug"/],
    ]),
  ),
  ...Object.fromEntries(
    ["FST_ERR_CTP_X", "FST_ERR_CTP_INVALID_MEDIA_TYPE", "FST_ERR_VALIDATION", "ECONNRESET"].map((code) => [
      `throws an Error with the code ${code}`,
      [thrower(Object.assign(new Error(secret), { code })), new RegExp(`"code":"${code}"`)],
    ]),
  ),
  "throws an Error whose message throws": [thrower(withGetter("message")), /"type":"Error","message":""/],
  "throws an AggregateError": [thrower(new AggregateError([new Error("first"), 5], "both")), /first.*not an Error: 5/],
  "throws an Error with a message of 1 MB": [
    thrower(new Error(secret.padEnd(1e6, "x"))),
    /a detail of the bugx{9981}…/,
  ],
  "throws an object with the prototype of HttpError": [
    () => thrower(Object.create(HttpError.prototype))(),
    /not an Error/,
  ],
  "throws an Error with a status and headers": [
    thrower(Object.assign(new Error(secret), { statusCode: 418, status: 418, headers: { "x-secret": secret } })),
    /a detail of the bug/,
  ],
  "throws an Error with data": [
    thrower(Object.assign(new Error("x"), { config: { password: "p4ss" } })),
    /"message":"x"/,
  ],
  "throws a Proxy": [thrower(hostile), /The thrown value is not an Error: .*Proxy/],
  "throws an Error whose prototype is a Proxy": [thrower(Object.create(hostile)), /The thrown value is not an Error/],
  "throws an Error whose prototype has become a Proxy": [
    thrower(Object.setPrototypeOf(new Error(secret), hostile)),
    /"err":\{/,
  ],
  "throws an HttpError with an invalid header": [
    () => thrower(new HttpError("unauthorized", secret, { "x y": "1" }))(),
    /The header x y is not valid/,
  ],
  "rejects with a Proxy": [() => Promise.reject(hostile), /The thrown value is not an Error/],
  "returns nothing": [() => undefined, /returned no response/],
  "returns null": [() => null, /returned no response/],
  "returns a string": [() => secret, /returned no response/],
  "returns a Proxy": [() => hostile, /trap/],
  "returns a status that is no integer": [ok({ status: 200.5 }), /the status 200.5/],
  "returns a status that is a string": [ok({ status: "200" }), /the status 200, which is not one/],
  "returns the status 101": [ok({ status: 101 }), /the status 101/],
  "returns no status": [ok({ status: undefined }), /the status undefined/],
  "returns a getter that throws": [
    () => Object.defineProperty({ status: 200 }, "body", { get: thrower(new Error("get")) }),
    /get/,
  ],
  "returns a header with a blank in its name": [ok({ headers: { "x y": "1" } }), /header 'x y'/],
  "returns a header without a name": [ok({ headers: { "": "1" } }), /header ''/],
  "returns a header with a line break": [ok({ headers: { x: "1\r\ny: 2" } }), /header x with a character/],
  "returns a header that is a symbol": [ok({ headers: { x: [Symbol("x")] } }), /Symbol/],
  "returns a header whose text throws": [
    ok({ headers: { x: [{ toString: thrower(new Error("no text")) }] } }),
    /no text/,
  ],
  "returns transfer-encoding": [ok({ headers: { "Transfer-Encoding": "chunked" } }), /only the server can set/],
  "returns trailer": [ok({ headers: { trailer: "x" } }), /only the server can set/],
  "returns a length that is no number": [ok({ headers: { "content-length": "1 " } }), /not a number of bytes/],
  "returns Headers": [ok({ headers: new Headers({ a: "b" }) }), /must be a plain object/],
  "returns a Map of headers": [ok({ headers: new Map([["a", "b"]]) }), /must be a plain object/],
  "returns headers that are a string": [ok({ headers: "a: b" }), /must be a plain object/],
  "returns headers that are null": [ok({ headers: null }), /must be a plain object/],
  "returns a header that is a Date": [ok({ headers: { x: new Date(0) } }), /header x as an object/],
  "returns a header that is a URL": [ok({ headers: { x: new URL("http://x") } }), /header x as an object/],
  "returns an empty type": [ok({ type: "" }), /not a media type/],
  "returns a type that is a word": [ok({ type: "json" }), /not a media type/],
  "returns a type with a line break": [ok({ type: "application/json\r\nx: y" }), /not a media type/],
  "returns a type that is no string": [ok({ type: {} }), /not a media type/],
  "returns a Readable as JSON": [ok({ type: "application/json", body: Readable.from([secret]) }), /not a JSON value/],
  "returns a ReadableStream as JSON": [
    ok({ type: "application/json", body: new ReadableStream() }),
    /not a JSON value/,
  ],
  "returns a promise as JSON": [ok({ type: "application/json", body: Promise.resolve(secret) }), /not a JSON value/],
  "returns a promise that rejects": [
    () => ({ status: 200, type: "application/json", body: Promise.reject(new Error(secret)) }),
    /not a JSON value/,
  ],
  "returns bytes as JSON": [ok({ type: "application/json", body: Buffer.from(secret) }), /not a JSON value/],
  "returns a Set as JSON": [ok({ type: "application/json", body: new Set([secret]) }), /not a JSON value/],
  "returns a generator as JSON": [ok({ type: "application/json", body: [1].values() }), /not a JSON value/],
  "returns a function as JSON": [ok({ type: "application/json", body: () => secret }), /not a JSON value/],
  "returns a value whose toJSON returns nothing": [ok({ body: { toJSON: () => undefined } }), /not a JSON value/],
  ...Object.fromEntries(
    [new Response(secret), new Error(secret), new DataView(new ArrayBuffer(1)), /a/, new Blob([]), new WeakMap()].map(
      (body) => [
        `returns ${Object.prototype.toString.call(body)} as JSON`,
        [ok({ type: "application/json", body }), /not a JSON value/],
      ],
    ),
  ),
  "returns a cycle": [ok({ body: cyclic }), /circular/],
  "returns a body whose getter throws": [
    ok({
      body: {
        a: 1,
        get b() {
          return thrower(new Error("getter"))();
        },
      },
    }),
    /getter/,
  ],
  "returns a body whose toJSON throws": [
    ok({ body: { toJSON: thrower(new Error("toJSON failed")) } }),
    /toJSON failed/,
  ],
  "returns an object as text": [ok({ type: "text/plain", body: { secret } }), /as a string/],
  "returns a stream that fails before it begins": [
    () => ({
      status: 200,
      type: "application/octet-stream",
      headers: { "content-disposition": `attachment; filename="${secret}"` },
      body: new Readable({ read: thrower(new Error("the file is gone")) }),
    }),
    /the file is gone/,
  ],
  "returns a stream that fails with a code of Fastify": [
    () => {
      const body = new Readable({ read() {} });
      setImmediate(() => body.destroy(Object.assign(new Error(secret), { code: "FST_ERR_CTP_X" })));
      return { status: 200, type: "application/octet-stream", body };
    },
    /a detail of the bug/,
  ],
  "returns a stream that is locked": [
    () => {
      const body = new ReadableStream();
      body.getReader();
      return { status: 200, type: "application/octet-stream", body };
    },
    /locked/i,
  ],
  "returns a promise as a header": [
    () => ({ status: 200, headers: { x: Promise.reject(new Error(secret)) }, body: 1 }),
    /a promise or a function as the header x/,
  ],
  "returns a function as a header": [ok({ headers: { x: () => secret } }), /a promise or a function as the header x/],
  "throws an HttpError with Transfer-Encoding": [
    () => thrower(new HttpError("unauthorized", secret, { "Transfer-Encoding": "chunked" }))(),
    /The header Transfer-Encoding is not valid/,
  ],
  "throws an HttpError with an unknown code": [
    () => thrower(new HttpError("teapot" as "unauthorized", secret))(),
    /There is no error code teapot/,
  ],
  "returns a web stream with an object as a chunk": [
    () => ({ status: 200, type: "application/octet-stream", body: ReadableStream.from([{ a: 1 }]) }),
    /neither text nor bytes/,
  ],
  "returns a stream with a number as a chunk": [
    () => ({ status: 200, type: "application/octet-stream", body: Readable.from([5]) }),
    /neither text nor bytes/,
  ],
  "returns the item undefined": [ok({ type: "application/jsonl", body: [undefined] }), /not a JSON value/],
  "returns an iterator without results": [
    ok({ type: "application/jsonl", body: { [Symbol.iterator]: () => ({ next: () => 5 }) } }),
    /does not return an object/,
  ],
  "returns items whose iterator throws": [
    ok({ type: "application/jsonl", body: { [Symbol.iterator]: thrower(new Error("no iterator")) } }),
    /no iterator/,
  ],
  "returns items of which the first fails": [
    ok({ type: "application/jsonl", body: { [Symbol.iterator]: () => ({ next: thrower(hostile) }) } }),
    /The thrown value is not an Error/,
  ],
};

const names = Object.keys(mistakes);
const media = ["application/json", "application/jsonl", "application/octet-stream", "text/plain"];
const content = Object.fromEntries(media.map((type) => [type, {}]));
const document = {
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths: {
    "/good": { get: { operationId: "good", responses: { "200": { description: "", content } } } },
    "/bad": {
      get: {
        operationId: "bad",
        parameters: [{ name: "n", in: "query", schema: { type: "integer" } }],
        responses: { "200": { description: "", content } },
      },
    },
  },
};
const handlers = {
  good: async () => ({ status: 200, type: "application/json", body: "fine" }),
  bad: async ({ query }: { query: { n: number } }) => mistakes[names[query.n] as string]?.[0](),
};

const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
process.on("unhandledRejection", onRejection);
t.teardown(() => process.off("unhandledRejection", onRejection));

function createLog() {
  const logs: string[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => void logs.push(line) }) as FastifyBaseLogger;
  return { logs, logger };
}

async function get(port: number, path: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

for (const validateResponses of [true, false])
  t.test(`createServer responds with 500, with validateResponses ${validateResponses}`, async (t) => {
    const { logs, logger } = createLog();
    const app = await createServer({
      document,
      handlers,
      logger,
      validateResponses,
      formatError: problemDetails,
    } as never);
    await app.listen({ host: "127.0.0.1", port: 0 });
    t.teardown(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    for (const [n, [name, [, reason]]] of Object.entries(mistakes).entries()) {
      logs.length = 0;
      const response = await get(port, `/bad?n=${n}`);
      t.match(response, /^HTTP\/1.1 500 Internal Server Error\r\n/, name);
      t.match(response, /\r\ncontent-type: application\/problem\+json\r\n/i, name);
      t.match(response, /\r\nx-content-type-options: nosniff\r\n/i, `${name}: with the headers of all responses`);
      t.match(response, /"status":500,"detail":"An internal error occurred\./, name);
      t.notMatch(response, /a detail of the bug|x-secret|trap|getter/, `${name}: discloses nothing`);
      t.match(logs.join(""), reason, name);
      t.notMatch(logs.join(""), /p4ss/, "the log has no data of errors");
    }
    t.match(await get(port, "/good"), /200 OK[\s\S]*"fine"/);
    t.same(rejections, []);
  });

t.test("A stream whose length is not its Content-Length ends with the connection, and is logged", async (t) => {
  for (const [length, body] of [
    [3, () => "abc"],
    [3, () => Readable.from(["a", "bc"])],
    [3, () => Readable.toWeb(Readable.from([Buffer.from("abc")]))],
    [4, () => Readable.from(["a", "bc"])],
    [2, () => Readable.from(["a", "bc"])],
  ] as const) {
    const { logs, logger } = createLog();
    const response = { status: 200, headers: { "content-length": length }, type: "application/octet-stream" };
    const good = async () => ({ ...response, body: body() });
    const app = await createServer({ document, handlers: { ...handlers, good }, logger } as never);
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const received = await get(port, "/good").catch(() => "");
    t.notMatch(received, /\r\n\r\nabc./, "no more than its length");
    if (length === 3) t.match(received, /\r\n\r\nabc$/);
    t.equal(/which its stream does not have/.test(logs.join("")), length !== 3);
    await app.close();
  }
});

t.test("The plugin responds with 500 in an existing app", async (t) => {
  const { logs, logger } = createLog();
  const app = fastify({ loggerInstance: logger });
  t.teardown(() => app.close());
  await app.register(openApi, { document, handlers, prefix: "/api" } as never);
  for (const [n, [name, [, reason]]] of Object.entries(mistakes).entries()) {
    logs.length = 0;
    const { statusCode, payload } = await app.inject(`/api/bad?n=${n}`);
    t.equal(statusCode, 500, name);
    t.match(payload, /^{"code":"internal_error","message":"An internal error occurred\./, name);
    t.match(logs.join(""), reason, name);
  }
  t.same(rejections, []);
});

t.test("A web stream that fails with null ends the connection, and the process lives", async (t) => {
  const { logger } = createLog();
  const body = () => {
    let pulls = 0;
    return new ReadableStream({
      pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(Buffer.from("begun"));
        else controller.error(null);
      },
    });
  };
  const good = async () => ({ status: 200, type: "application/octet-stream", body: body() });
  const app = await createServer({ document, handlers: { ...handlers, good }, logger } as never);
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  t.notMatch(await get(port, "/good").catch(() => ""), /\r\n0\r\n\r\n$/, "not complete");
  t.match(await get(port, "/bad?n=0"), /^HTTP\/1.1 500 /);
  t.same(rejections, []);
});

t.test("A check of credentials that returns an Error does not authenticate", async (t) => {
  const { logs, logger } = createLog();
  const secured = {
    ...document,
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "K" } } },
    security: [{ key: [] }],
  };
  const security = { key: async () => new Error("the database is gone") };
  const app = await createServer({ document: secured, handlers, security, logger } as never);
  t.teardown(() => app.close());
  const { statusCode } = await app.inject({ url: "/good", headers: { k: "x", host: "x" } });
  t.equal(statusCode, 500);
  t.match(logs.join(""), /the database is gone/);
});

t.test("A formatError that fails does not change the status", async (t) => {
  for (const [formatError, reason] of [
    [thrower(new Error("no format")), /no format/],
    [() => undefined, /must return an object/],
    [async () => ({}), /must return an object/],
    [() => Promise.reject(new Error("rejected")), /must return an object/],
    [() => ({ n: 1n }), /BigInt/],
    [Object.assign(() => ({}), { mediaType: "a/b\r\nb" }), /not a media type/],
    [Object.assign(() => ({}), { mediaType: "" }), /not a media type/],
  ] as const) {
    const { logs, logger } = createLog();
    const app = await createServer({ document, handlers, logger, formatError } as never);
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    t.match(await get(port, "/bad?n=x"), /^HTTP\/1.1 400 [\s\S]*\r\n\r\n{"code":"invalid_parameter"/);
    t.match(await get(port, "/bad?n=0"), /^HTTP\/1.1 500 [\s\S]*\r\n\r\n{"code":"internal_error"/);
    const socket = connect(port, "127.0.0.1");
    socket.end("nonsense\r\n\r\n");
    t.match(await text(socket), /^HTTP\/1.1 400 [\s\S]*\r\n\r\n{"code":"malformed_request"/);
    t.equal(logs.filter((line) => reason.test(line)).length, 3, String(reason));
    await app.close();
  }
});
