// Streams that last as long as their client listens.
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { pino } from "pino";
import t, { type Test } from "tap";
import { createServer } from "../../../src/index.ts";
import { toEventStream } from "../../../src/openapi/wire/event-stream.ts";
import { ItemStream } from "../../../src/openapi/wire/item-streams.ts";

const types = ["text/event-stream", "application/jsonl"];
const document = {
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths: {
    "/a": {
      get: {
        operationId: "a",
        responses: { "200": { description: "", content: Object.fromEntries(types.map((type) => [type, {}])) } },
      },
    },
  },
};

type Handler = (call: { readonly signal: AbortSignal; readonly lastEventId: string | undefined }) => Promise<object>;

/** Requests a stream, whose handler is `a`. Returns what was received so far. */
async function open(t: Test, a: Handler, headers = "") {
  const errors: unknown[] = [];
  const onError = (error: Error) => void errors.push(error.message);
  const logger = pino({ level: "silent" });
  const app = await createServer({ document, handlers: { a }, logger, onError } as never);
  t.teardown(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  const [socket] = (await once(app.server, "connection")) as [Socket];
  t.teardown(() => client.destroy());
  let text = "";
  client.on("data", (chunk) => {
    text += chunk;
  });
  client.write(`GET /a HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  const until = async (pattern: RegExp) => {
    while (!pattern.test(text)) await once(client, "data");
    return text;
  };
  return { app, socket, client, until, errors };
}

for (const type of types) {
  t.test(`Sends the headers of ${type} before the first item, and no timeout ends it`, async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* items() {
      await promise;
      yield { data: 1 };
    }
    const { socket, until } = await open(t, async () => ({ status: 200, type, body: items() }));
    t.match(await until(/\r\n\r\n/), /^HTTP\/1\.1 200 OK\r\n/);
    t.equal(socket.timeout, 0);
    resolve();
    await until(/1\}?\n\n?\r\n0\r\n\r\n$/);
    for (let n = 0; n < 100 && socket.timeout === 0; n++) await new Promise(setImmediate);
    t.ok(
      [72_000, 73_000].includes(socket.timeout as number),
      "that of keep-alive; later versions of Node add a second",
    );
  });

  t.test(`A stream of ${type} that fails at once is an error response`, async (t) => {
    // biome-ignore lint/correctness/useYield: it fails before its first item
    async function* failing() {
      await new Promise(setImmediate);
      throw new Error("no items");
    }
    const { until, errors } = await open(t, async () => ({ status: 200, type, body: failing() }));
    t.match(await until(/\}$/), /^HTTP\/1\.1 500 .*"code":"internal_error"/s);
    t.same(errors, ["no items"]);
  });
}

t.test("A failure behind the headers is reported", async (t) => {
  async function* failing() {
    yield { data: 1 };
    await new Promise((resolve) => setTimeout(resolve, 50));
    throw new Error("broken");
  }
  const { client, errors } = await open(t, async () => ({ status: 200, body: failing() }));
  await once(client, "close");
  t.same(errors, ["broken"]);
});

t.test("A handler knows the last event that its client has received", async (t) => {
  const ids: unknown[] = [];
  const handler: Handler = async ({ lastEventId }) => {
    ids.push(lastEventId);
    return { status: 200, body: [{ id: "b", data: 1 }] };
  };
  await (await open(t, handler)).until(/0\r\n\r\n$/);
  await (await open(t, handler, "Last-Event-ID: é-7\r\n")).until(/0\r\n\r\n$/);
  t.same(ids, [undefined, "é-7"]);
});

async function* wait(items: unknown[], signal: AbortSignal) {
  yield* items;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

t.test("A stream of events sends comments while it has no events, and nothing else does", async (t) => {
  const { signal } = new AbortController();
  for (const [stream, heartbeat] of [
    [new ItemStream("text/event-stream", wait([{ data: 1 }], signal), (item) => item), "data: 1\n\n:\n\n"],
    [toEventStream(new PassThrough().setEncoding("utf8")), ""],
  ] as const) {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
    });
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    stream.beat(60_000);
    t.notMatch(text, /:\n$/, "not for that long");
    stream.beat(0);
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    stream.beat(0);
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    t.equal(text.startsWith(heartbeat), true, text);
    t.match(text, /(:\n){2}|(:\n\n){2}/);
  }
});

t.test("An item whose content JSON does not have ends the stream", async (t) => {
  for (const item of [new Map([[1, 2]]), Promise.withResolvers, new PassThrough(), undefined]) {
    const { client, errors } = await open(t, async () => ({ status: 200, type: types[1], body: [1, item] }));
    await once(client, "close");
    t.same(errors, ["The handler returned an item that is not a JSON value."]);
  }
});

t.test("The comment of a stream of texts is not inside of a line", async (t) => {
  const source = new PassThrough();
  const stream = toEventStream(source);
  let text = "";
  stream.on("data", (chunk) => {
    text += chunk;
  });
  const beat = async () => {
    stream.beat(0);
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
  };
  for (const chunk of ["data: a", " b\n", "id: 1\n\n"]) {
    source.write(chunk);
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    await beat();
  }
  t.equal(text, "data: a b\n:\nid: 1\n\n:\n");
});

t.test("A stream that nobody reads gets no comments", async (t) => {
  const stream = new ItemStream("text/event-stream", wait([], new AbortController().signal), (item) => item);
  for (let n = 0; n < 10; n++) stream.beat(0);
  t.equal(stream.readableLength, 0);
});

t.test("Events that the server ends tell their clients when to connect again, unless an event has", async (t) => {
  for (const [items, expected] of [
    [[{ data: 1 }], /^data: 1\n\nretry: [12]\d{3}\n\n$/],
    [[{ data: 1, retry: 5 }], /^retry: 5\ndata: 1\n\n$/],
  ] as const) {
    const stream = new ItemStream("text/event-stream", wait([...items], new AbortController().signal), (item) => item);
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
    });
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    stream.close();
    await once(stream, "close");
    t.match(text, expected);
  }
});
