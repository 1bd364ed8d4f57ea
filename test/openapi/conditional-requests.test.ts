// Conditional requests of any document: a GET that declares ETag supports them, and a change returns the ETag of the GET.
import { Readable } from "node:stream";
import Fastify from "fastify";
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, openApi } from "../../src/index.ts";
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
      operation("change", etag, "404: { description: x }", "put"),
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
  change: async () => ({ status: 200, body: { a: 1 }, headers: { location: "/x" } }),
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
    t.match(await send("alone"), { status: 200, headers: { etag: /^"[\w-]{27}"$/ } }, "also without a declared 304");
    t.match((await send("change", {}, "PUT")).headers, { etag: headers.etag, location: "/x" }, "that of the GET");
    t.match(await send("version"), { status: 200, headers: { etag: 'W/"v7"' } });
    for (const tag of ['W/"v7"', '"v7"'])
      t.match(await send("version", { "if-none-match": tag }), { status: 304, headers: { etag: 'W/"v7"' } });
    t.match(await send("version", { "if-match": 'W/"v7"' }), { status: 412 }, "a weak tag never matches strongly");
  });

  t.test(`Other operations have no ETag, and do not ignore preconditions (${name})`, async (t) => {
    for (const id of ["stream", "untagged"]) t.equal((await send(id)).headers.etag, undefined, id);
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

t.test("A handler compares If-Match and If-None-Match with the representation that a GET returns", async (t) => {
  const parameters = ["If-Match", "If-None-Match"].map((name) => ({ name, in: "header", schema: { type: "string" } }));
  const responses = { 204: { description: "x" }, 412: { description: "x" }, 428: { description: "x" } };
  const item = {
    get: {
      operationId: "get",
      responses: {
        200: {
          description: "x",
          headers: { ETag: { schema: { type: "string" } } },
          content: { "application/json": { schema: { properties: { secret: { writeOnly: true } } } }, "text/csv": {} },
        },
        304: { description: "x" },
        404: { description: "x" },
      },
    },
    patch: { operationId: "patch", parameters, responses },
    put: { operationId: "put", parameters, responses },
  };
  let note: unknown = { id: 2n ** 60n, text: "x".repeat(2_000) };
  let headers: Record<string, unknown> = {};
  const { paths, ...rest } = document as { paths: object };
  const app = await createServer({
    document: { ...rest, paths: { "/notes": item } },
    logger,
    validateResponses: false, // so that the write-only member is removed
    handlers: {
      get: async () => (note ? { status: 200, body: note as never, headers } : { status: 404 }),
      patch: async (call) => {
        const matches = call.ifMatch(note, headers);
        return { status: matches === undefined ? 428 : matches ? 204 : 412 };
      },
      put: async (call) => ({ status: call.ifNoneMatch(note, headers) === false ? 412 : 204 }),
    },
  });
  const send = async (method: "GET" | "PATCH" | "PUT", sent: Record<string, string> = {}) => {
    const response = await app.inject({ method, url: "/notes", headers: sent });
    return { status: response.statusCode, tag: response.headers.etag as string };
  };
  for (const [own, body] of [
    [{}, note],
    [{ "X-Version": 7, "X-None": undefined, "X-List": ["a", "b"] }, note],
    [{ ETag: '"v7"' }, note],
    [{ ETag: '"v7-gzip"' }, note],
    [{}, "text".repeat(500)],
    [{}, { secret: 1, text: "x".repeat(2_000) }],
  ] as const) {
    headers = own;
    note = body;
    const { tag } = await send("GET");
    const { tag: compressed } = await send("GET", { "accept-encoding": "gzip" });
    t.match(compressed, /-gzip"$/);
    for (const [sent, status] of [
      [{ "if-match": tag }, 204],
      [{ "if-match": compressed }, 204],
      [{ "if-match": `"other", ${tag}` }, 204],
      [{ "if-match": "*" }, 204],
      [{ "if-match": `W/${tag}` }, 412],
      [{ "if-match": '"other"' }, 412],
      [{ "if-match": "" }, 412],
      [{ "if-match": "x" }, 400],
      [{ "if-match": `w/${tag}` }, 400],
      [{ "if-match": `*, ${tag}` }, 400],
      [{ "if-match": `x${tag}` }, 400],
      [{ "if-match": `, ${tag} ,,"a,b"` }, 204],
      [{}, 428],
    ] as const)
      t.equal((await send("PATCH", sent)).status, status, JSON.stringify(sent));
    for (const [sent, status] of [
      [{ "if-none-match": tag }, 412],
      [{ "if-none-match": `W/${compressed}` }, 412],
      [{ "if-none-match": "*" }, 412],
      [{ "if-none-match": '"other"' }, 204],
      [{ "if-none-match": '*, "other"' }, 400],
      [{}, 204],
    ] as const)
      t.equal((await send("PUT", sent)).status, status, JSON.stringify(sent));
  }
  headers = { ETag: 'W/"v7"' };
  t.equal((await send("PATCH", { "if-match": 'W/"v7"' })).status, 412, "a weak tag matches no If-Match");
  headers = {};
  note = "a,b";
  for (const accept of ["text/csv", "application/json"]) {
    const { tag } = await send("GET", { accept });
    t.equal((await send("PATCH", { "if-match": tag })).status, 204, `that of ${accept}`);
  }
  note = { id: 2n ** 60n };
  const { tag } = await send("GET");
  note = { id: 2n ** 60n + 1n };
  t.equal((await send("PATCH", { "if-match": tag })).status, 412, "the note has changed");
  note = undefined;
  t.equal((await send("PATCH", { "if-match": "*" })).status, 412, "there is none");
  t.equal((await send("PUT", { "if-none-match": "*" })).status, 204);
});
