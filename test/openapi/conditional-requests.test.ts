// Conditional requests of any document: an operation that declares ETag and 304 supports them.
import { Readable } from "node:stream";
import Fastify from "fastify";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, openApi } from "../../src/openapi/index.ts";
import { documentOf } from "../support/document-server.ts";

const logger = pino({ level: "silent" });
const etag = "headers: { ETag: { required: true, schema: { type: string } } }";
const operation = (id: string, headers: string, not = "304: { description: x }", method = "get") =>
  `  /${id}: { ${method}: { operationId: ${id}, responses: { 200: { description: x, ${headers}, content: { application/json: {}, application/x-tar: {} } }, ${not} } } }\n`;
const document = parse(
  documentOf(
    [
      operation("tagged", etag),
      operation("version", etag),
      operation("bytes", etag),
      operation("stream", "headers: { ETag: { schema: { type: string } } }"),
      operation("untagged", "headers: {}"),
      operation("alone", "headers: { ETag: { schema: { type: string } } }", "404: { description: x }"),
      operation("put", etag, "404: { description: x }", "put"),
      "  /own: { put: { operationId: own, parameters: [{ name: If-Match, in: header, schema: { type: string } }], responses: { 204: { description: x } } } }\n",
    ].join(""),
  ),
);
const handlers = {
  tagged: async () => ({ status: 200, body: { a: 1 } }),
  version: async () => ({ status: 200, body: { a: 1 }, headers: { etag: 'W/"v7"' } }),
  bytes: async () => ({ status: 200, type: "application/x-tar", body: new Uint8Array([1, 2]) }),
  stream: async () => ({ status: 200, type: "application/x-tar", body: Readable.from(["a"]) }),
  untagged: async () => ({ status: 200, body: 1 }),
  alone: async () => ({ status: 200, body: 1 }),
  put: async () => ({ status: 200, body: 1, headers: { ETag: '"1"' } }),
  own: async () => ({ status: 204 }),
};

const plugin = Fastify();
await plugin.register(openApi, { document, handlers, docs: false });
const apps = { createServer: await createServer({ document, handlers, logger, docs: false }), openApi: plugin };
for (const [name, app] of Object.entries(apps)) {
  const send = async (id: string, headers = {}, method: "GET" | "PUT" = "GET") => {
    const accept = { host: "x", "accept-encoding": "gzip", accept: "application/json, application/x-tar" };
    const response = await app.inject({ method, url: `/${id}`, headers: { ...accept, ...headers } });
    return { status: response.statusCode, headers: response.headers, text: response.payload };
  };

  t.test(`Adds a strong ETag to a content, or uses that of the handler (${name})`, async (t) => {
    const { headers } = await send("tagged");
    t.match(headers, { etag: /^"[\w-]{27}"$/, vary: "accept" });
    t.match(await send("tagged", { "if-none-match": headers.etag }), { status: 304, text: "" });
    t.match(await send("bytes"), { status: 200, headers: { etag: /^"[\w-]{27}"$/ } });
    t.match(await send("version"), { status: 200, headers: { etag: 'W/"v7"' } });
    for (const tag of ['W/"v7"', '"v7"'])
      t.match(await send("version", { "if-none-match": tag }), { status: 304, headers: { etag: 'W/"v7"' } });
    t.match(await send("version", { "if-match": 'W/"v7"' }), { status: 412 }, "a weak tag never matches strongly");
  });

  t.test(`Other operations have no ETag, and do not ignore preconditions (${name})`, async (t) => {
    for (const id of ["stream", "untagged", "alone"]) t.equal((await send(id)).headers.etag, undefined, id);
    t.match(await send("untagged", { "if-match": "*" }), { status: 412, text: /can't evaluate the header If-Match/ });
    t.match(await send("put", { "if-match": '"1"' }, "PUT"), { status: 412 });
    t.match(await send("put", { "if-none-match": "*" }, "PUT"), { status: 412, text: /the header If-None-Match/ });
    t.match(await send("untagged", { "if-none-match": "*" }), { status: 200 }, "a read ignores it");
    t.match(await send("own", { "if-match": '"1"' }, "PUT"), { status: 204 }, "the handler evaluates it");
    t.match(await send("own", { "if-none-match": "*" }, "PUT"), { status: 412 });
  });
}

t.test("createServer compresses responses, unless it is turned off", async (t) => {
  const large = { ...handlers, tagged: async () => ({ status: 200, body: "x".repeat(100_000) }) };
  for (const [compression, coding] of [
    [undefined, "gzip"],
    [false, undefined],
  ] as const) {
    const app = await createServer({ document, handlers: large, logger, docs: false, compression });
    const headers = { host: "x", "accept-encoding": "gzip" };
    const response = await app.inject({ url: "/tagged", headers });
    t.match(response.headers, { "content-encoding": coding, "content-length": `${response.rawPayload.length}` });
  }
});
