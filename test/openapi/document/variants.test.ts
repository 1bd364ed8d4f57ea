// Operations with the same method and path, which a document tells apart by a query or fragment.
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import fastify from "fastify";
import t from "tap";
import { parse } from "yaml";
import { openApi } from "../../../src/index.ts";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { Query } from "../../../src/openapi/wire/pairs.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const operation = (id: string, parameters = "[]", type = "", method = "get") => `
    ${method}:
      operationId: ${id}
      parameters: ${parameters}
      ${type && `requestBody: { content: { ${type}: { schema: {} } } }`}
      responses: { 204: { description: x } }`;
const fields = "[{ name: fields, in: query, required: true, schema: { type: string } }]";
const page = "[{ name: page, in: query, schema: { type: integer } }]";

t.test("Selects the operation that fits the query and the Content-Type of a request", async (t) => {
  const { send, calls } = await serve(
    documentOf(`
  /items#share:${operation("share", fields)}
  /items:${operation("list", page)}
  /items?beta=true:${operation("beta", page)}
  /files:${operation("put", "[]", "application/json", "post")}
  /files#patch:${operation("patch", "[]", "application/json-patch+json", "post")}`),
  );
  for (const [method, url, type, id] of [
    ["GET", "/items", undefined, "list"],
    ["GET", "/items?page=2", undefined, "list"],
    ["HEAD", "/items?page=2", undefined, "list"],
    ["GET", "/items?fields=a", undefined, "share"],
    ["GET", "/items?beta=true", undefined, "beta"],
    ["GET", "/items?page=1&beta=true", undefined, "beta"],
    ["POST", "/files", "application/json", "put"],
    ["POST", "/files", "application/json-patch+json", "patch"],
  ] as const) {
    calls.length = 0;
    const body = type && { payload: "{}", headers: { "content-type": type } };
    t.match(await send(method, url, body), { status: 204 }, `${method} ${url} ${type}`);
    t.match(calls, [{ operationId: id }], `${method} ${url} ${type}`);
  }
  t.same(calls[0]?.query, {});
});

t.test("A request that fits none fails as a request of the first operation", async (t) => {
  const { send } = await serve(
    documentOf(`
  /items#share:${operation("share", fields)}
  /items:${operation("list", page)}`),
  );
  t.match(await send("GET", "/items?other=1"), {
    status: 400,
    body: { message: /must have .*'fields'|unknown .*'other'/ },
  });
  t.match(await send("GET", "/items?page=x"), { status: 400, body: { message: /'page' must be an integer/ } });
  t.match(await send("POST", "/items"), { status: 405, headers: { allow: "GET, HEAD" } });
});

t.test("Reports operations that no request can tell apart", async (t) => {
  const document = documentOf(`
  /items/{a}:${operation("first", "[{ name: a, in: path, required: true, schema: {} }]")}
  /items/{b}:${operation("second", "[{ name: b, in: path, required: true, schema: {} }]")}
  /items/{a}#x:${operation("third", "[{ name: a, in: path, required: true, schema: {} }]")}`);
  const { operations, findings } = await parseDocument(document);
  t.same([operations.map(({ id }) => id), findings.list({ ignore: ["duplicate-path"] })], [["first"], []]);
  const { send, calls } = await serve(document);
  t.match(await send("GET", "/items/1"), { status: 204 });
  t.match(calls, [{ operationId: "first", params: { a: "1" } }]);
});

t.test("Refuses operations that no request can tell apart, and that differ in more than parameters", async (t) => {
  const key = { type: "apiKey", in: "header", name: "X-Key" };
  const requestBody = { content: { "application/json": { schema: { minimum: 1 } } } };
  const first = { operationId: "first", requestBody, responses: { 204: { description: "x" } } };
  for (const other of [
    { requestBody: { content: { "application/json": { schema: { maximum: 1 } } } } },
    { responses: { 200: { description: "x" } } },
    { security: [{ key: [] }] },
  ]) {
    const second = { ...first, operationId: "second", ...other };
    const document = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Test", version: "1" },
      components: { securitySchemes: { key } },
      paths: { "/a": { post: first }, "/a#b": { post: second } },
    });
    await t.rejects(parseDocument(document), { message: /second can't be reached, because first has the same/ });
  }
});

t.test("An API key in the query, and a property of an object, do not change the selection", async (t) => {
  const filter =
    "[{ name: f, in: query, style: deepObject, schema: { type: object, properties: { a: { type: string } } } }]";
  const components =
    "components: { securitySchemes: { key: { type: apiKey, in: query, name: key } } }\nsecurity: [{ key: [] }]";
  const paths = `
  /items:${operation("list")}
  /items?beta=true:${operation("beta", filter)}
  /items?a%2Bb=1:${operation("plus")}`;
  const { send, calls } = await serve(documentOf(paths, components), { security: { key: async () => "me" } });
  for (const [query, id] of [
    ["key=1", "list"],
    ["beta=true&key=1", "beta"],
    ["beta=true&key=1&f[a]=1", "beta"],
  ] as const) {
    calls.length = 0;
    t.match(await send("GET", `/items?${query}`), { status: 204 }, query);
    t.match(calls, [{ operationId: id }], query);
  }
});

t.test("An invalid value does not change the selection", async (t) => {
  const { send } = await serve(
    documentOf(`
  /items:${operation("list", page)}
  /items?beta=true:${operation("beta", page)}`),
  );
  t.match(await send("GET", "/items?beta=true&page=1&page=2"), {
    status: 400,
    body: { message: /The query parameter 'page' / },
  });
});

t.test("If unknown query parameters are ignored, they do not change the selection", async (t) => {
  const text = documentOf(`
  /items#share:${operation("share", fields)}
  /items:${operation("list", page)}`);
  const { operations } = await parseDocument(text, { ignoreUnknown: true });
  const hasNames = (id: string, query: string) =>
    operations.find((one) => one.id === id)?.parameters.query.hasNames(new Query(`/?${query}`));
  t.same([hasNames("share", "fields=a&x=1"), hasNames("share", "x=1"), hasNames("list", "x=1")], [true, false, true]);
});

t.test(
  "In an app of its own, a request with a fragment in its target neither ends the process, nor changes the operation",
  async (t) => {
    const path = (id: string, rest = "") =>
      `{ post: { operationId: ${id}, ${rest} parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { 204: { description: x } } } }`;
    const document = parse(
      documentOf(
        `  /jobs/{id}: ${path("change")}\n  "/jobs/{id}:cancel": ${path("cancel", "security: [{ key: [] }],")}`,
        "components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }",
      ),
    );
    const handler = async () => ({ status: 204 });
    const app = fastify();
    await app.register(openApi, {
      document,
      handlers: { change: handler, cancel: handler },
      security: { key: async () => true },
    });
    t.teardown(() => app.close());
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    for (const [target, status] of [
      ["/jobs/1:cancel", 401],
      ["/jobs/1:cancel#x", 401],
      ["/jobs/1:cancel#%zz", 401],
      ["/jobs/1%3Acancel", 204],
    ] as const) {
      const socket = connect(port, "127.0.0.1");
      socket.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      t.match(await text(socket), new RegExp(`^HTTP/1.1 ${status} `), target);
    }
  },
);
