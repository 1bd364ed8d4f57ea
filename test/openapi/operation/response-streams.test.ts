// Streams that are not sent to their end: responses to HEAD, clients that disconnect, and responses that fail.
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { until } from "../../support/wait.ts";

const content = "content: { text/event-stream: { itemSchema: {} }, application/octet-stream: {} }";
const document = documentOf(
  `  /a:
    get: { operationId: a, responses: { 200: { description: x, ${content} }, 204: { description: x } } }`,
  "",
  "3.2.0",
);

/** Serves the document with a handler. */
const start = (handler: (call: { readonly signal: AbortSignal }) => object) =>
  serve(document, { handlers: { a: async (call) => handler(call as never) } });

/** Numbers without an end. */
async function* count() {
  for (let n = 0; ; n++) yield { data: n };
}

/** A stream that fails when it is closed. */
function createStream(): Readable {
  const stream = new Readable({ read() {} });
  stream._destroy = (_, done) => done(new Error("closed"));
  return stream;
}

t.test("Responds to HEAD without reading an endless stream", async (t) => {
  const stream = createStream();
  const bodies = [() => count(), () => stream, () => new ReadableStream({ pull() {} })];
  for (const body of bodies) {
    const type = body().constructor.name.includes("ReadableStream") ? "application/octet-stream" : undefined;
    const { send } = await start(() => ({ status: 200, body: body(), ...(type && { type }) }));
    t.match(await send("HEAD", "/a"), { status: 200, text: "", headers: { "content-length": undefined } });
  }
  t.ok(stream.destroyed);
});

t.test("Tells the handler that the client has disconnected", async (t) => {
  const { port, errors } = await listen(t, ({ signal }) => {
    async function* wait() {
      yield { data: "first" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted.resolve();
    }
    return { status: 200, body: wait() };
  });
  const aborted = Promise.withResolvers<void>();
  const socket = request(port);
  socket.on("data", (chunk) => {
    if (String(chunk).includes("first")) socket.destroy();
  });
  await aborted.promise;
  t.same(errors, []);
});

t.test("Tells the handler of any response when its client closes the connection, or its side of it", async (t) => {
  for (const close of ["end", "resetAndDestroy"] as const) {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const { port, errors } = await listen(t, async ({ signal }) => {
      started.resolve();
      await sleep(60_000, undefined, { signal }).finally(aborted.resolve);
      return { status: 204 };
    });
    const socket = request(port);
    await started.promise;
    socket[close]();
    await aborted.promise;
    if (close === "end") t.match(await text(socket), /^HTTP\/1.1 503 .*because .* its client has disconnected/s);
    t.same(errors, [], "it is no failure of the handler");
    socket.destroy();
  }
});

t.test("A signal that is read after the client has closed its side is aborted", async (t) => {
  const signals: AbortSignal[] = [];
  const { port } = await listen(t, async (call) => {
    await sleep(100);
    signals.push(call.signal);
    return { status: 204 };
  });
  const socket = request(port).end();
  t.match(await text(socket), /^HTTP\/1.1 204 /, "a handler that does not use its signal responds");
  t.equal(signals[0]?.aborted, true);
});

/** Listens with a handler. */
async function listen(t: Test, handler: (call: { readonly signal: AbortSignal }) => object) {
  const errors: string[] = [];
  const onError = (error: Error) => void errors.push(error.message);
  const handlers = { a: async (call: { readonly signal: AbortSignal }) => handler(call) };
  const logger = pino({ level: "silent" });
  const app = await createServer({ document: parse(document), handlers, onError, logger } as never);
  t.teardown(() => app.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  return { port: (app.server.address() as AddressInfo).port, errors };
}

function request(port: number): Socket {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  return socket;
}

t.test("The signal is that of the response, also if it is read late", async (t) => {
  const signals: AbortSignal[] = [];
  const { send } = await start((call) => {
    signals.push(call.signal, call.signal);
    setTimeout(() => signals.push(call.signal), 50);
    return { status: 204 };
  });
  t.match(await send("GET", "/a"), { status: 204 });
  await until(
    () => (signals.length === 3 && signals[2]?.aborted) || undefined,
    () => "the signal is not aborted",
  );
  t.equal(signals[0], signals[1]);
  const late = await start((call) => {
    setTimeout(() => signals.push(call.signal), 50);
    return { status: 204 };
  });
  await late.send("GET", "/a");
  await until(
    () => signals[3],
    () => "no signal",
  );
  t.ok(signals[3]?.aborted);
});

t.test("Closes a stream that the document does not allow, or that a status excludes", async (t) => {
  for (const status of [204, 202]) {
    const stream = createStream();
    const cancelled: unknown[] = [];
    const web = new ReadableStream({ pull() {}, cancel: () => void cancelled.push(status) });
    for (const body of [stream, web]) {
      const { send } = await start(() => ({ status, body }));
      t.match(await send("GET", "/a"), { status: 500 });
    }
    t.ok(stream.destroyed, `${status}`);
    t.same(cancelled, [status]);
  }
});

t.test("Closes the connection of events whose stream is destroyed without an error", async (t) => {
  const bodies = [
    () => {
      const stream = new Readable({ read() {} });
      stream.push("data: 1\n\n");
      setTimeout(() => stream.destroy(), 50);
      return stream;
    },
    () => new Readable({ read() {} }).destroy(),
  ];
  for (const body of bodies) {
    const { app } = await start(() => ({ status: 200, body: body(), type: "text/event-stream" }));
    t.teardown(() => app.close());
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    const response = fetch(`http://127.0.0.1:${port}/a`, { signal: AbortSignal.timeout(10_000) });
    const result = await response
      .then(async (one) => (one.ok ? await one.text() : one.status))
      .catch((error) => error.name);
    t.not(result, "TimeoutError", String(result));
  }
});

t.test("Compares the items of a stream as they are sent, and sends no write-only member", async (t) => {
  const itemSchema =
    "{ type: object, properties: { at: { type: string, format: date-time }, pw: { type: string, writeOnly: true } } }";
  const text = documentOf(
    `  /a: { get: { operationId: a, responses: { 200: { description: x, content: { application/jsonl: { itemSchema: ${itemSchema} } } } } } }`,
    "",
    "3.2.0",
  );
  const items = [{ at: new Date(0), pw: "LEAK" }, { toJSON: () => ({ at: "1970-01-01T00:00:00.000Z", pw: "LEAK" }) }];
  const expected = '{"at":"1970-01-01T00:00:00.000Z"}\n';
  const first = await serve(text, {
    handlers: { a: async () => ({ status: 200, body: items }) },
    validateResponses: false,
  });
  const read = async ({ app }: typeof first) => (await app.inject({ url: "/a", headers: { host: "x" } })).payload;
  t.equal(await read(first), expected + expected);
  const dates = [{ at: new Date(0) }];
  const checked = await serve(text, {
    handlers: { a: async () => ({ status: 200, body: dates }) },
    validateResponses: true,
  });
  t.equal(await read(checked), expected);
});

t.test("A media type with the suffix +json-seq is a sequence of items, which are compared", async (t) => {
  const paths = `  /a: { get: { operationId: a, responses: { 200: { description: x, content: { application/geo+json-seq: { itemSchema: { required: [n] } } } } } } }`;
  let items: unknown = [{ n: 1 }, { n: 2 }];
  const { app } = await serve(documentOf(paths, "", "3.2.0"), {
    handlers: { a: async () => ({ status: 200, body: items }) },
  });
  const read = () => app.inject({ url: "/a", headers: { host: "x" } });
  t.match(await read(), {
    statusCode: 200,
    headers: { "content-type": "application/geo+json-seq" },
    payload: '\u001e{"n":1}\n\u001e{"n":2}\n',
  });
  items = [{ m: 1 }];
  t.match(await read(), { statusCode: 500 });
  items = "\u001e{}";
  t.match(await read(), { statusCode: 200, payload: "\u001e{}" }, "the handler writes it itself");
});
