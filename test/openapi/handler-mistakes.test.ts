// Mistakes of handlers: whatever one returns or throws, the response is a 500 in the shape of all errors, the log has the
// reason, and the process lives.
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { FastifyBaseLogger } from "fastify";
import fastify from "fastify";
import { pino } from "pino";
import t from "tap";
import { createServer, openApi, problemDetails } from "../../src/index.ts";
import { mistakes, thrower } from "../support/handler-mistakes.ts";

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
    [() => ({ toJSON: thrower(new Error("no JSON")) }), /no JSON/],
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
