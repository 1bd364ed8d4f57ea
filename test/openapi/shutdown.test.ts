// What app.close() does with the calls in progress.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import fastify, { type FastifyInstance } from "fastify";
import { pino } from "pino";
import t, { type Test } from "tap";
import { createServer, openApi } from "../../src/index.ts";

const content = {
  "text/event-stream": {},
  "application/jsonl": {},
  "application/json": {},
  "application/octet-stream": {},
};
const document = {
  openapi: "3.1.0",
  info: { title: "T", version: "1" },
  paths: { "/a": { get: { operationId: "a", responses: { "200": { description: "", content } } } } },
};
const gracePeriod = 600; // milliseconds

type Handler = (call: { readonly signal: AbortSignal }) => Promise<object>;

const servers: Record<string, (handler: Handler) => Promise<FastifyInstance>> = {
  createServer: (a) =>
    createServer({ document, handlers: { a }, gracePeriod, logger: pino({ level: "silent" }) } as never),
  plugin: async (a) => {
    const app = fastify();
    await app.register(openApi, { document, handlers: { a } } as never);
    return app;
  },
};

/** Starts a request, and returns its response, which may be incomplete. */
async function request(t: Test, app: FastifyInstance): Promise<Promise<string>> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  return send(t, app);
}

function send(t: Test, app: FastifyInstance): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  t.teardown(() => socket.destroy());
  socket.write("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  return text(socket).catch(() => "");
}

/** Closes the app. Returns the milliseconds that it took. */
async function close(app: FastifyInstance): Promise<number> {
  const start = performance.now();
  await app.close();
  return performance.now() - start;
}

for (const [name, create] of Object.entries(servers)) {
  t.test(`${name}: ends server-sent events, their signals and their iterables`, async (t) => {
    const events: string[] = [];
    const started = Promise.withResolvers<void>();
    const app = await create(async ({ signal }) => {
      signal.addEventListener("abort", () => events.push("aborted"));
      async function* items() {
        try {
          for (let n = 0; ; n++) {
            yield { data: n };
            started.resolve();
            await sleep(20);
          }
        } finally {
          events.push("returned");
        }
      }
      return { status: 200, type: "text/event-stream", body: items() };
    });
    const response = request(t, app);
    await started.promise;
    const time = await close(app);
    t.match(await response, /data: 0\n\n[\s\S]*\r\n0\r\n\r\n$/, "the response is complete");
    t.ok(time < 4_000, `closed after ${time} ms`);
    await sleep(50);
    t.same(events.sort(), ["aborted", "returned"]);
  });

  t.test(`${name}: ends server-sent events of which the next one never comes`, async (t) => {
    const app = await create(async () => {
      async function* items() {
        yield { data: 1 };
        await new Promise(() => {});
      }
      return { status: 200, type: "text/event-stream", body: items() };
    });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    t.teardown(() => socket.destroy());
    socket.write("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await once(socket, "data");
    const response = text(socket);
    const time = await close(app);
    t.match(await response, /0\r\n\r\n$/);
    t.ok(time < 4_000, `closed after ${time} ms`);
  });

  t.test(`${name}: closes the connection of a client that does not read its events`, async (t) => {
    const started = Promise.withResolvers<void>();
    const app = await create(async () => {
      setTimeout(started.resolve, 100);
      return { status: 200, type: "text/event-stream", body: Array(1_000).fill({ data: "x".repeat(100_000) }) };
    });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    t.teardown(() => socket.destroy());
    socket.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    await started.promise;
    const time = await close(app);
    t.ok(time < 8_000, `closed after ${time} ms`);
  });

  t.test(`${name}: ends server-sent events that a handler writes as a stream`, async (t) => {
    for (const toBody of [(stream: Readable) => stream, (stream: Readable) => Readable.toWeb(stream)]) {
      const source = new Readable({ read() {} });
      const started = Promise.withResolvers<void>();
      const app = await create(async () => {
        setTimeout(started.resolve, 50);
        source.push("data: 1\n\n");
        return { status: 200, type: "text/event-stream", body: toBody(source) };
      });
      const response = request(t, app);
      await started.promise;
      await close(app);
      t.match(await response, /\r\ndata: 1\n\n\r\n0\r\n\r\n$/, "the response is complete");
      t.ok(source.destroyed);
    }
  });

  t.test(`${name}: completes calls in progress, and events that begin meanwhile end at once`, async (t) => {
    for (const [type, body, expected] of [
      ["application/json", "done", /\r\n\r\n"done"$/],
      ["text/event-stream", [{ data: 1 }], /\nretry: \d+\n\n\r\n0\r\n\r\n$/],
      ["application/jsonl", [1, 2], /\r\n1\n(\r\n2\r\n)?2\n\r\n/],
    ] as const) {
      const started = Promise.withResolvers<void>();
      const app = await create(async ({ signal }) => {
        started.resolve();
        await sleep(100);
        return signal.aborted ? { status: 500 } : { status: 200, type, body };
      });
      const response = request(t, app);
      await started.promise;
      await close(app);
      t.match(await response, /^HTTP\/1.1 200 OK/);
      t.match(await response, expected);
    }
  });
}

t.test("Aborts the signal of other calls after half of the grace period, so that they can respond", async (t) => {
  const started = Promise.withResolvers<void>();
  const app = await (servers.createServer as (typeof servers)[string])(async ({ signal }) => {
    const aborted = once(signal, "abort");
    started.resolve();
    await aborted;
    return { status: 200, type: "application/json", body: "stopped" };
  });
  const response = request(t, app);
  await started.promise;
  const time = await close(app);
  t.match(await response, /"stopped"$/);
  t.ok(time >= gracePeriod / 2 - 20, `closed after ${time} ms`);
});

t.test("Aborts a signal that a handler uses only then", async (t) => {
  const started = Promise.withResolvers<void>();
  const app = await (servers.createServer as (typeof servers)[string])(async (call) => {
    started.resolve();
    await sleep(gracePeriod * 0.7);
    return { status: 200, type: "application/json", body: call.signal.aborted };
  });
  const response = request(t, app);
  await started.promise;
  await close(app);
  t.match(await response, /\r\n\r\ntrue$/);
});

t.test("Rejects a grace period that is not a number of milliseconds", async (t) => {
  for (const gracePeriod of [Number.NaN, -1, "x"])
    await t.rejects(createServer({ document, mock: true, gracePeriod } as never), /gracePeriod must be a number/);
});

t.test("Cuts other streams of items at the end of the grace period, so that they do not look complete", async (t) => {
  const started = Promise.withResolvers<void>();
  const app = await (servers.createServer as (typeof servers)[string])(async () => {
    async function* items() {
      for (let n = 0; ; n++) {
        yield n;
        started.resolve();
        await sleep(20);
      }
    }
    return { status: 200, type: "application/jsonl", body: items() };
  });
  const response = request(t, app);
  await started.promise;
  const time = await close(app);
  t.notMatch(await response, /\r\n0\r\n\r\n$/);
  t.ok(time >= gracePeriod - 20 && time < gracePeriod + 4_000, `closed after ${time} ms`);
});

t.test("Closes the connections of handlers that do not respond, at the end of the grace period", async (t) => {
  const started = Promise.withResolvers<void>();
  const app = await (servers.createServer as (typeof servers)[string])(() => {
    started.resolve();
    return new Promise(() => {});
  });
  const response = request(t, app);
  await started.promise;
  const time = await close(app);
  t.equal(await response, "");
  t.ok(time >= gracePeriod - 20 && time < gracePeriod + 4_000, `closed after ${time} ms`);
});

t.test(
  "A process whose only client has closed its side of the connection waits for the end of the shutdown",
  async (t) => {
    const program = `
    import { pino } from "pino";
    import { createServer } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url))};
    const { promise, resolve } = Promise.withResolvers();
    const handlers = { a: () => (resolve(), new Promise(() => {})) };
    const document = ${JSON.stringify(document)};
    const app = await createServer({ document, handlers, gracePeriod: ${gracePeriod}, logger: pino({ level: "silent" }) });
    await app.listen({ host: "127.0.0.1", port: 0 });
    console.log(app.server.address().port);
    await promise;
    await app.close();
    process.stdout.write("closed");`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
    const [port] = await once(run.child.stdout as Readable, "data");
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    t.teardown(() => socket.destroy());
    socket.end("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    t.match((await run).stdout, /closed$/);
  },
);
