// Keys in a place where they mean nothing: reported, and left out of what is served.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer, type UntypedHandler } from "../../../src/index.ts";
import { readDocument } from "../../../src/openapi/index.ts";
import { documentOf } from "../../support/document-server.ts";

const json = "application/json: { schema: { type: integer }, example: 5 }";
const document = parse(
  documentOf(`  /a:
    get:
      operationId: a
      responses:
        description: misplaced
        "200":
          description: x
          headers: { description: x, X-A: { content: { description: x, ${json} } } }
          content: { description: the body, json: {}, ${json} }
  /b:
    get:
      operationId: b
      parameters: [{ name: q, in: query, content: { description: x, ${json} } }]
      responses: { "2000": { description: x }, "20": { description: x }, "2XX": { description: x, content: { ${json} } } }
  /c:
    post:
      operationId: c
      requestBody: { content: { description: x, ${json} } }
      responses: { ok: { description: x } }
  /d:
    post:
      operationId: d
      requestBody: { required: true, content: { json: { schema: {} } } }
      responses: { "200": { description: x, content: { json: { schema: { type: object } }, description: x } } }
`),
);

async function serve(t: Test, handlers: Readonly<Record<string, UntypedHandler>> = {}) {
  const app = await createServer({ document, handlers, mock: true, docs: false, logger: pino({ level: "silent" }) });
  t.teardown(() => app.close());
  return app;
}

t.test("check reports keys that are no media type, no status and no header", async (t) => {
  const { findings } = await readDocument(document, { strict: false });
  const messages = findings.list({ strict: false }, 9).map(({ message }) => message);
  for (const message of [
    /a has the response description, which is neither a status/,
    /a has a response of description, which is neither a media type/,
    /a has a response of json, which is neither a media type/,
    /b has the query parameter q of description, which is neither a media type/,
    /b has the response 2000, which is neither a status/,
    /c has a body of description, which is neither a media type/,
    /d has a body of json, which is neither a media type/,
  ])
    t.ok(
      messages.some((text) => message.test(text)),
      `${message}`,
    );
});

t.test("The mock leaves them out, and never fails with 500", async (t) => {
  const app = await serve(t);
  const call = async (method: "GET" | "POST", url: string, payload?: string, type = "application/json") => {
    const headers = payload === undefined ? {} : { "content-type": type };
    const response = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    return [response.statusCode, response.headers["content-type"], response.body];
  };
  t.same(await call("GET", "/a"), [200, "application/json", "5"]);
  t.equal((await app.inject("/a")).headers["x-a"], "5");
  t.same(await call("GET", "/b?q=7"), [200, "application/json", "5"]);
  t.match(await call("GET", "/b?q=x"), [400]);
  t.match(await call("POST", "/c", "1"), [200]);
  t.match(await call("POST", "/c", "1", "text/plain"), [415, /json/, /must be application\/json\./]);
  t.match(await call("POST", "/d"), [200]);
  t.match(await call("POST", "/d", "x", "text/plain"), [415]);
});

t.test("The type of a handler's response is none of them", async (t) => {
  const app = await serve(t, {
    a: async () => ({ status: 200, body: 6 }),
    d: async () => ({ status: 200, body: { own: true } }),
  });
  t.match(await app.inject("/a"), { statusCode: 200, body: "6" });
  t.match(await app.inject({ method: "POST", url: "/d" }), { statusCode: 200, body: '{"own":true}' });
});
