// Mock responses: examples of the document, or values made from its schemas.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { documentOf } from "../../support/document-server.ts";

const logger = pino({ level: "silent" });

/** Serves the paths in mock mode, and returns a function that requests them. */
async function mock(paths: string, rest = "", version?: string) {
  const app = await createServer({
    document: parse(documentOf(paths, rest, version)),
    mock: true,
    logger,
    docs: false,
  });
  return async (
    url: string,
    headers: Record<string, string> = {},
    method: "GET" | "POST" = "GET",
    payload?: object,
  ) => {
    const response = await app.inject({ method, url, headers: { host: "x", ...headers }, ...(payload && { payload }) });
    const isJson = /json/.test(`${response.headers["content-type"]}`);
    const body = isJson ? response.json() : response.payload;
    return { status: response.statusCode, headers: response.headers, body };
  };
}

const responses = (content: string, rest = "") =>
  `  /x:\n    get: { responses: { 200: { description: x, content: { ${content} }${rest} } } }\n`;

t.test("Responds with the examples that the document declares, if they are valid", async (t) => {
  for (const [content, expected] of [
    ["application/json: { example: { a: 1 } }", { a: 1 }],
    ["application/json: { schema: { type: object }, examples: { one: { value: { b: 2 } } } }", { b: 2 }],
    ["application/json: { schema: { type: integer }, examples: { bad: { value: x }, good: { value: 7 } } }", 7],
    ["application/json: { schema: { type: integer, examples: [8] } }", 8],
    ["application/json: { schema: { type: integer, default: 9 } }", 9],
    ["application/json: { schema: { type: integer, minimum: 5, examples: [1] } }", 5],
    ["application/json: { schema: { const: 3 } }", 3],
    ["application/json: {}", {}],
    ["text/plain: { schema: { type: string, example: hello } }", "hello"],
    ["text/plain: {}", ""],
    ["text/csv: { schema: { type: integer } }", "1\r\n"],
    ["application/octet-stream: { schema: { type: string } }", "text"],
    ['"*/*": { schema: { type: boolean } }', true],
    ['"image/*": { schema: { type: string } }', "text"],
  ] as const)
    t.same((await (await mock(responses(content)))("/x")).body, expected, content);
});

t.test("Prefer selects a status and an example", async (t) => {
  const get = await mock(`  /x:
    get:
      responses:
        "200":
          description: x
          content:
            application/json:
              examples: { one: { value: 1 }, two: { value: 2 }, three: { dataValue: 3 }, four: { serializedValue: "4" } }
        4XX: { description: x, content: { application/json: { example: range } } }
        default: { description: x, content: { application/json: { example: other } } }
`);
  for (const [prefer, status, body] of [
    ["example=two", 200, 2],
    ['example="three"', 200, 3],
    ["example=four", 200, "4"],
    ["status=404", 404, "range"],
    ["code=404", 404, "range"],
    ["respond-async, status=503", 503, "other"],
    ["wait=5", 200, 1],
    ["delay=1", 200, 1],
    ["delay=-1", 400, /delay of up to 60000 milliseconds/],
    ["delay=1h", 400, /delay of up to 60000 milliseconds/],
  ] as const)
    t.match(await get("/x", { prefer }), { status, body: typeof body === "object" ? { message: body } : body }, prefer);
  const start = performance.now();
  await get("/x", { prefer: "delay=100" });
  t.ok(performance.now() - start > 95);
  t.match(await get("/x", { prefer: "example=none" }), {
    status: 400,
    body: { message: /declares one, two, three, four\.$/ },
  });
  t.match(await get("/x", { prefer: "status=99" }), {
    status: 400,
    body: { message: /declares 200, 4XX, default\.$/ },
  });
  t.match(await get("/x", { prefer: "status=404, example=x" }), { status: 400, body: { message: /declares none/ } });
});

t.test("Responds with the lowest success, or else with what is declared", async (t) => {
  const paths = Object.entries({
    created: '"404": &r { description: x }, "201": *r',
    range: '"2XX": { description: x }',
    default: "default: { description: x }",
    redirect:
      '"302": { description: x, headers: { Location: { required: true, schema: { type: string, format: uri } } } }',
    nothing: "",
  }).map(([name, responses]) => `  /${name}:\n    get: { responses: { ${responses} } }\n`);
  const get = await mock(paths.join(""));
  for (const [path, status] of Object.entries({ created: 201, range: 200, default: 200, redirect: 302, nothing: 200 }))
    t.equal((await get(`/${path}`)).status, status, path);
  t.equal((await get("/redirect")).headers.location, "https://example.com/1", "a required header");
});

t.test("Selects the media type that the client accepts", async (t) => {
  const get = await mock(responses('application/json: { example: 1 }, text/plain: { example: "one" }'));
  t.match(await get("/x", { accept: "text/*" }), { headers: { "content-type": /^text\/plain/ }, body: "one" });
  t.match(await get("/x", { accept: "image/png" }), { status: 406 });
});

t.test("Sends another media type that the client accepts if the preferred one can't be made", async (t) => {
  const get = await mock(
    responses(
      "application/vnd.x.object: { schema: { type: object } }, image/png: { schema: { type: object } }, application/json: { example: 5 }, text/csv: { example: a }",
    ),
  );
  for (const [accept, type, body] of [
    ["*/*", "application/json", 5],
    ["application/vnd.x.object, text/csv;q=0.5", /^text\/csv/, "a"],
    ["image/*, application/*;q=0.5", "application/json", 5],
  ] as const)
    t.match(await get("/x", { accept }), { status: 200, headers: { "content-type": type }, body }, accept);
  t.match(await get("/x", { accept: "image/png" }), { status: 501, body: { code: "not_implemented" } });
  const none = await mock(
    responses("application/zip: { schema: { type: object } }, image/png: { schema: { type: object } }"),
  );
  t.match(await none("/x"), { status: 501, body: { message: /application\/zip/ } });
});

t.test("Makes no header of CORS, and none that the server sets", async (t) => {
  const headers = ["Access-Control-Allow-Origin", "access-control-expose-headers", "X-Request-Id", "Vary", "X-Own"]
    .map((name) => `${name}: { schema: { type: string } }`)
    .join(", ");
  const get = await mock(responses("text/plain: {}", `, headers: { ${headers} }`));
  const { headers: sent } = await get("/x");
  t.match(sent, { "x-own": "text", "x-request-id": /^[\w-]{36}$/, vary: undefined });
  t.match(sent, { "access-control-allow-origin": undefined, "access-control-expose-headers": undefined });
});

t.test("Validates the request and the form of the credential first, and uses handlers if there are any", async (t) => {
  const text = documentOf(
    `  /x:
    post:
      operationId: add
      security: [{ key: [] }]
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [a] } } } }
      responses: { 201: { description: x, content: { application/json: { example: 1 } } } }
    get: { operationId: real, responses: { 200: { description: x, content: { application/json: {} } } } }
`,
    "components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }",
  );
  const handlers = { real: async () => ({ status: 200, body: "real" }) };
  const app = await createServer({ document: parse(text), mock: true, handlers, logger });
  const post = (headers: object, payload: object) =>
    app.inject({ method: "POST", url: "/x", headers: { host: "x", ...headers }, payload });
  t.match(await post({}, { a: 1 }), { statusCode: 401 });
  t.match(await post({ "x-key": "any" }, {}), { statusCode: 400 });
  t.match(await post({ "x-key": "any" }, { a: 1 }), { statusCode: 201, payload: "1" });
  t.match(await app.inject({ url: "/x", headers: { host: "x" } }), { payload: '"real"' });
});

t.test("Responds with events and items in the form of their media type", async (t) => {
  const path = (name: string, content: string) =>
    `  /${name}:\n    get: { operationId: ${name}, responses: { 200: { description: x, content: ${content} } } }\n`;
  const item = "{ itemSchema: { type: object, required: [data], properties: { data: { const: a } } } }";
  const document = parse(
    documentOf(
      path("events", `{ text/event-stream: ${item} }`) +
        path("sequence", `{ application/json-seq: ${item} }`) +
        path("lines", "{ application/jsonl: { schema: { type: array, items: { const: { n: 1 } }, minItems: 2 } } }") +
        path("text", "{ text/event-stream: { schema: { const: 'data: a' } } }") +
        path("data", "{ text/event-stream: { schema: { type: string } } }"),
      "",
      "3.2.0",
    ),
  );
  const app = await createServer({ document, mock: true, logger });
  const get = async (url: string) => (await app.inject({ url, headers: { host: "x" } })).payload;
  t.equal(await get("/events"), "data: a\n\n");
  t.equal(await get("/sequence"), '\u001e{"data":"a"}\n');
  t.equal(await get("/lines"), '{"n":1}\n{"n":1}\n');
  t.equal(await get("/text"), "data: a");
  t.equal(await get("/data"), "data: text\n\n");
});

t.test("Responds with no informational status, which would not end a response", async (t) => {
  const operation = (responses: string) => `{ get: { responses: { ${responses} } } }`;
  const paths = `  /a: ${operation("101: { description: x }, 404: { description: x }")}
  /b: ${operation("default: { description: x }")}
  /c: ${operation("1XX: { description: x }")}`;
  const app = await createServer({ document: parse(documentOf(paths)), mock: true, logger });
  const statusOf = async (url: string, prefer = "") =>
    (await app.inject({ url, headers: { host: "x", prefer } })).statusCode;
  t.same([await statusOf("/a"), await statusOf("/b"), await statusOf("/c")], [404, 200, 200]);
  t.same([await statusOf("/a", "status=101"), await statusOf("/b", "status=100")], [400, 400]);
});

t.test("Sends required headers with content, and none with characters that HTTP does not allow", async (t) => {
  const headers = `{ X-A: { required: true, schema: { type: string, examples: ["naïve → x"] } }, X-B: { required: true, content: { application/json: { example: { z: 1 } } } } }`;
  const paths = `  /a: { get: { responses: { 200: { description: x, headers: ${headers} } } } }`;
  const app = await createServer({ document: parse(documentOf(paths)), mock: true, logger });
  t.match(await app.inject({ url: "/a", headers: { host: "x" } }), {
    statusCode: 200,
    headers: { "x-a": "text", "x-b": '{"z":1}' },
  });
});

t.test("Sends the items of a stream, from examples or from the schema of an item", async (t) => {
  const response = (id: string, type: string, content: string) =>
    `  /${id}: { get: { responses: { 200: { description: x, content: { ${type}: ${content} } } } } }`;
  const paths = [
    response("text", "application/jsonl", "{ itemSchema: { type: string } }"),
    response("list", "application/jsonl", "{ itemSchema: { type: array, items: { type: integer }, minItems: 2 } }"),
    response("event", "text/event-stream", "{ itemSchema: { type: string } }"),
    response("example", "application/jsonl", "{ itemSchema: { type: object }, example: [{ a: 1 }, { b: 2 }] }"),
    response("schema", "application/jsonl", "{ schema: { type: array, items: { type: boolean }, minItems: 2 } }"),
  ];
  const document = parse(documentOf(paths.join("\n"), "", "3.2.0"));
  const app = await createServer({ document, mock: true, logger });
  const read = async (url: string) => (await app.inject({ url, headers: { host: "x" } })).body;
  t.equal(await read("/text"), '"text"\n');
  t.match(await read("/list"), /^\[\d+,\d+\]\n$/);
  t.equal(await read("/event"), "data: text\n\n");
  t.equal(await read("/example"), '{"a":1}\n{"b":2}\n');
  t.match(await read("/schema"), /^(true|false)\n(true|false)\n$/);
});
