// Functions around handlers.

import Fastify from "fastify";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, openApi, type Wrap } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";

const logger = pino({ level: "silent" });
const json = { "content-type": "application/json" };
const document = parse(
  documentOf(`  /notes:
    post:
      operationId: addNote
      requestBody: { required: true, content: { application/json: { schema: { type: string } } } }
      responses: { 201: { description: x, content: { application/json: { schema: { type: array } } } }, 409: { description: x } }
  /notes/{id}:
    get:
      operationId: getNote
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { 200: { description: x, content: { application/json: { schema: { type: integer } } } } }
`),
);

interface Context {
  readonly notes: string[];
}

// A transaction: what the handler has added is kept unless it fails.
const inTransaction: Wrap<Context> = async (_call, next, { notes }) => {
  const copy = [...notes];
  const result = await next({ notes: copy });
  if (!(result instanceof Error) && result.status < 400) notes.splice(0, notes.length, ...copy);
  return result;
};

const handlers = {
  addNote: async ({ body }: { body: unknown }, context: unknown) => {
    const { notes } = context as Context;
    notes.push(body as string);
    if (body === "throws") throw new Error("after the change");
    return body === "fails" ? { status: 409 } : { status: 201, body: notes };
  },
  getNote: async ({ params }: { params: unknown }) => ({ status: 200, body: (params as { id: number }).id }),
};

for (const name of ["createServer", "plugin"])
  t.test(`${name}: wraps each handler with a context of its own, and sees what it returns`, async (t) => {
    const log: unknown[] = [];
    const audit: Wrap<Context> = async (call, next) => {
      log.push(`${call.operationId} begins`);
      try {
        const result = await next();
        log.push(result instanceof Error ? result : result.status);
        return result;
      } catch (error) {
        log.push((error as Error).message);
        throw error;
      }
    };
    const context: Context = { notes: [] };
    const options = { document, handlers, context, wrap: [audit, inTransaction] };
    const app = name === "plugin" ? Fastify() : await createServer<never, Context>({ ...options, logger } as never);
    if (name === "plugin") await app.register(openApi, options as never);
    const add = (body: string) =>
      app.inject({
        method: "POST",
        url: "/notes",
        headers: { "content-type": "application/json" },
        payload: `"${body}"`,
      });
    t.match(await add("a"), { statusCode: 201, payload: '["a"]' });
    t.match(await add("fails"), { statusCode: 409 });
    t.match(await add("throws"), { statusCode: 500 });
    t.match(await add("b"), { statusCode: 201, payload: '["a","b"]' });
    t.match(await app.inject("/notes/x"), { statusCode: 400 }, "not around what is rejected before");
    t.match(await app.inject("/notes/7"), { statusCode: 200, payload: "7" });
    const begins = "addNote begins";
    t.same(log, [begins, 201, begins, 409, begins, "after the change", begins, 201, "getNote begins", 200]);
  });

t.test("Can respond without the handler, call it again, and replace what it returns", async (t) => {
  let calls = 0;
  const wrap: Wrap = async (call, next) => {
    if (call.request.headers["x-cached"]) return { status: 200, body: 1 };
    await next();
    const result = await next();
    return call.request.headers["x-wrong"] ? ({ ...result, body: "no number" } as never) : result;
  };
  const app = await createServer({
    document,
    logger,
    wrap,
    handlers: {
      ...handlers,
      getNote: async () => {
        calls += 1;
        return { status: 200, body: calls };
      },
    },
  });
  const get = (headers: object = {}) => app.inject({ url: "/notes/1", headers: headers as Record<string, string> });
  t.match(await get({ "x-cached": "1" }), { payload: "1" });
  t.equal(calls, 0);
  t.match(await get(), { payload: "2" });
  t.match(await get({ "x-wrong": "1" }), { statusCode: 500 }, "compared with the document like that of a handler");
});

t.test("Wraps the handlers of the mock, and is skipped by none", async (t) => {
  const seen: string[] = [];
  const wrap: Wrap = async ({ operationId }, next) => {
    seen.push(operationId);
    return next();
  };
  const app = await createServer({ document, logger, wrap, mock: true });
  await app.inject("/notes/1");
  t.same(seen, ["getNote"]);
});

t.test("A function can respond without waiting for its handler, whose failure then has no effect", async (t) => {
  const wrap: Wrap<Context> = async (_call, next) => {
    void next();
    return { status: 409 };
  };
  const app = await createServer({ document, handlers: handlers as never, context: { notes: [] }, wrap, logger });
  const response = await app.inject({
    method: "POST",
    url: "/notes",
    payload: JSON.stringify("throws"),
    headers: json,
  });
  t.equal(response.statusCode, 409);
  await new Promise(setImmediate); // a rejection that nothing handles fails the test
});
