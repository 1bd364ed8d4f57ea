// Parameters of paths, headers and cookies, of a whole query (OpenAPI 3.2), and of a path of several operations.
import t from "tap";
import { createRecordValidator, parseDocument, TableCells, type TableRow } from "../../../src/openapi/index.ts";
import { Query } from "../../../src/openapi/wire/pairs.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const responses = "responses: { 204: { description: Done } }";
const pathOf = (path: string, parameters: string) =>
  `  /${path}:\n    get: { operationId: "${path}", parameters: [${parameters}], ${responses} }`;
const rgb = "schema: { type: object, properties: { R: { type: integer } } }";

/** Serves one operation with these parameters. `send` takes its URL and headers. */
async function serveOne(parameters: string, path = "a", rest = "", options = {}) {
  const server = await serve(documentOf(pathOf(path, parameters), rest, "3.2.0"), options);
  return {
    ...server,
    get: (url: string, headers: Record<string, string> = {}) => server.send("GET", url, { headers }),
  };
}

t.test("Reads headers by their schemas, without percent-decoding, whatever the case of their names", async (t) => {
  const { get, calls } = await serveOne(
    `{ name: X-Id, in: header, required: true, schema: { type: integer, format: int64 } },
     { name: X-Text, in: header, schema: { type: string, default: none } },
     { name: X-List, in: header, schema: { type: array, items: { type: number } } },
     { name: X-Json, in: header, content: { application/json: { schema: { type: object } } } },
     { name: constructor, in: header, schema: { type: string } },
     { name: Set-Cookie, in: header, schema: { type: string } }`,
  );
  const headers = { "x-ID": " 9007199254740993 ", "x-list": "1, 2.5", "x-json": '{"a":[1,2]}', "x-text": "a%20b, c" };
  t.match(await get("/a", headers), { status: 204 });
  t.match(calls.pop()?.headers, {
    "X-Id": 9007199254740993n,
    "X-Text": "a%20b, c",
    "X-List": [1, 2.5],
    "X-Json": { a: [1, 2] },
  });
  t.match(await get("/a", { "x-id": "1", constructor: "x", "set-cookie": ["a", "b"] as never }), { status: 204 });
  t.match(calls.pop(), { headers: { "X-Text": "none", constructor: "x", "Set-Cookie": "a, b" } });
  for (const [headers, message] of [
    [{}, "The request must have the header 'X-Id'."],
    [{ "x-id": "1, 2" }, /'X-Id' must be an integer/],
    [{ "x-id": "1", "x-list": "1,x" }, /must be a number/],
    [{ "x-id": "1", "x-json": "{" }, /'X-Json' is not valid JSON/],
  ] as [Record<string, string>, string | RegExp][])
    t.match(await get("/a", headers), { status: 400, body: { message } }, String(message));
});

t.test("Reads cookies: encoded in the style form, and as they are in the style cookie", async (t) => {
  const { get, calls } = await serveOne(
    `{ name: a, in: cookie, required: true, schema: { type: string } },
     { name: b, in: cookie, style: cookie, schema: { type: string } },
     { name: c, in: cookie, content: { application/json: { schema: { type: object } } } },
     { name: d, in: cookie, style: cookie, schema: { type: object, additionalProperties: { type: string } } }`,
  );
  t.match(await get("/a", { cookie: " a=1%2C2;;b=%2C; c=%7B%7D;e=5;f=a=b ; g" }), { status: 204 });
  t.strictSame({ ...(calls.pop()?.cookies as object) }, { a: "1,2", b: "%2C", c: {}, d: { e: "5", f: "a=b", g: "" } });
  t.match(await get("/a"), { status: 400, body: { message: "The request must have the cookie 'a'." } });
  t.match(await get("/a", { cookie: "a=1; a=2" }), {
    status: 400,
    body: { message: "The cookie 'a' must be given once, not 2 times." },
  });
});

t.test("Rejects path parameters that do not have the form of their style", async (t) => {
  const style = (name: string, explode: boolean, schema: string) =>
    `{ name: c, in: path, required: true, style: ${name}, explode: ${explode}, ${schema} }`;
  const list = "schema: { type: [array, string], items: { type: integer } }";
  for (const [parameters, text, expected] of [
    [style("matrix", false, rgb), "c=R,1", "must begin with ;."],
    [style("matrix", false, rgb), ";d=R,1", "must begin with ;c=."],
    [style("matrix", false, rgb), ";c=R,1;c=R,2", "must be given once, not 2 times."],
    [style("matrix", true, rgb), ";R;R=1", "must have each property once."],
    [style("label", false, rgb), "R,1", "must begin with .."],
    [style("label", true, rgb), ".R", "must have properties such as property=value."],
    [style("simple", false, rgb), "R", "must have a value for each property, such as property,value."],
    [style("simple", false, rgb), "R,1", { R: 1 }],
    [style("simple", false, rgb), "R,%31", { R: 1 }],
    [style("matrix", true, "schema: { type: object, properties: { c: {} } }"), ";c", { c: "" }],
    [style("matrix", true, list), ";c=1", "1"],
    [style("matrix", true, list), ";c=1;c=2", [1, 2]],
    [style("simple", false, list), "1,2", [1, 2]],
    [style("simple", false, list), "x", "x"],
    [style("simple", false, "schema: { type: array, items: { type: string } }"), "a%2Cb,c%252C", ["a,b", "c%2C"]],
    [style("simple", false, "schema: { type: string }"), "a,b%2Fc%252F%ff", "a,b%2Fc%252F%ff"],
    [style("simple", false, "schema: { type: boolean }"), "true", true],
  ] as [string, string, unknown][]) {
    const { get, calls } = await serveOne(parameters, "x/{c}");
    const { status, body } = await get(`/x/${text}`);
    const received = status === 204 ? (calls[0]?.params as { c: unknown }).c : (body as { message: string }).message;
    t.strictSame(
      received,
      typeof expected === "string" && /^must/.test(expected) ? `The path parameter 'c' ${expected}` : expected,
      text,
    );
  }
});

t.test("Reads a whole query, as a form, as JSON or as text", async (t) => {
  const key = `components: { securitySchemes: { key: { type: apiKey, in: query, name: api key } } }\nsecurity: [{ key: [] }, {}]`;
  const security = { key: async () => "me" };
  const schema =
    "schema: { type: object, required: [n], additionalProperties: false, properties: { n: { type: integer }, s: { type: string, default: x }, l: { type: array, items: { type: integer } } } }";
  const form = (required: boolean) =>
    `{ name: q, in: querystring, required: ${required}, content: { application/x-www-form-urlencoded: { ${schema}, encoding: { l: { style: pipeDelimited, explode: false } } } } }`;
  const json = `{ name: q, in: querystring, required: true, content: { application/json: { ${schema} } } }`;
  const text = "{ name: q, in: querystring, content: { application/jsonpath: { schema: { type: string } } } }";
  for (const [parameters, query, expected] of [
    [form(false), "n=1&s=a+%2B+b&l=1|2", { n: 1, s: "a + b", l: [1, 2] }],
    [form(false), "", undefined],
    [form(false), "n=x", /'q.n' must be an integer/],
    [form(false), "n=1&z=1", /z/],
    [form(false), "n=1&n=2", /once/],
    [form(true), "", /'q' must have the field 'n'|must have/],
    [form(false), "n=1&api+key=secret", { n: 1, s: "x" }],
    [json, "%7B%22n%22%3A1,%22s%22%3A%22a+b%22%7D", { n: 1, s: "a+b" }],
    [json, "", /is not valid JSON/],
    [json, "n=1", /is not valid JSON/],
    [text, "%24.a.b%5B1%3A1%5D", "$.a.b[1:1]"],
    [text, "", undefined],
  ] as [string, string, unknown][]) {
    const { get, calls } = await serveOne(parameters, "a", key, { security });
    const { status, body } = await get(`/a?${query}`);
    if (expected instanceof RegExp) t.match([status, body], [400, { message: expected }], query);
    else t.strictSame((calls[0]?.query as { q: unknown } | undefined)?.q, expected, `${query} ${JSON.stringify(body)}`);
  }
});

t.test("An API key in the query is no parameter, unless it is declared as one", async (t) => {
  const key = `components: { securitySchemes: { key: { type: apiKey, in: query, name: key } } }\nsecurity: [{ key: [] }]`;
  const security = { key: async () => "me" };
  const all = "{ name: all, in: query, schema: { type: object, additionalProperties: { type: integer } } }";
  const own = "{ name: key, in: query, schema: { type: string } }";
  for (const [parameters, query] of [
    ["", {}],
    [all, { all: { a: 1 } }],
    [`${all}, ${own}`, { all: { a: 1 }, key: "s" }],
  ] as const) {
    const { get, calls } = await serveOne(parameters, "a", key, { security });
    t.match(await get(`/a?${parameters && "a=1&"}key=s`), { status: 204 }, parameters);
    t.strictSame({ ...(calls[0]?.query as object) }, query);
  }
});

t.test("The parameters of an operation replace those of its path", async (t) => {
  const { send, calls } = await serve(
    documentOf(`  /a/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer } }
      - { name: q, in: query, required: true, schema: { type: integer } }
      - { name: q, in: header, schema: { type: integer } }
    get: { ${responses} }
    put: { ${responses}, parameters: [{ name: q, in: query, schema: { type: string } }] }`),
  );
  t.match(await send("GET", "/a/1"), { status: 400 });
  t.match(await send("GET", "/a/1?q=2", { headers: { q: "3" } }), { status: 204 });
  t.match(calls.pop(), { params: { id: 1 }, query: { q: 2 }, headers: { q: 3 } });
  t.match(await send("PUT", "/a/1?q=x", { headers: { q: "3" } }), { status: 204 });
  t.match(calls.pop(), { params: { id: 1 }, query: { q: "x" }, headers: { q: 3 } });
  t.match(await send("PUT", "/a/x"), { status: 400 });
});

t.test("Rejects declarations that can't be served, or serves the rest", async (t) => {
  const query = "{ name: b, in: query, schema: {} }";
  const whole = "{ name: q, in: querystring, content: { application/json: {} } }";
  for (const [parameters, reason] of [
    [`${query}, ${query}`, "has the parameter b twice"],
    ["{ name: b, in: body, schema: {} }", "has the parameter b in 'body', which is not a location"],
    [
      "{ name: b, in: query, style: matrix, schema: {} }",
      "has the query parameter b with the style matrix, but it must be form or spaceDelimited or pipeDelimited or deepObject",
    ],
    [
      "{ name: b, in: path, required: true, schema: {} }",
      "must have the path parameter b both in its path and among its parameters",
    ],
    [`${whole}, ${query}`, "has the querystring parameter q, but also the query parameter b"],
    [
      `${whole}, { name: r, in: querystring, content: { application/json: {} } }`,
      "has the querystring parameter q, but also the query parameter r",
    ],
    ["{ name: q, in: querystring, schema: {} }", "has the querystring parameter q without a media type"],
  ] as const) {
    const { operations, findings } = await parseDocument(documentOf(pathOf("a", parameters), "", "3.2.0"), {
      strict: false,
    });
    const reports = findings.list().map(({ message }) => message);
    t.ok(reports.includes(`The operation a ${reason}`), `${reason}: ${reports}`);
    t.match(operations[0]?.parameters.query.read(new Query("/")), { value: {} }, reason);
    t.equal(operations[0]?.parameters.path?.read({ params: {}, path: "/a" }), undefined);
  }
  const { operations } = await parseDocument(documentOf(pathOf("a", query)), { ignoreUnknown: true });
  t.match(operations[0]?.parameters.query.read(new Query("/?b=1&c=2")), { value: { b: "1" } });
});

t.test("Reads the cells of a row like parameters, by the schema of its columns", async (t) => {
  const schema =
    "{ type: object, additionalProperties: false, required: [a], properties: { a: { type: integer }, b: { default: x }, constructor: { type: string } } }";
  const { root, schemas } = await parseDocument(
    documentOf(pathOf("a", ""), `components: { schemas: { Row: ${schema} } }`),
  );
  const cells = new TableCells(schemas, ["/components/schemas/Row"], { required: ["a"] });
  const validateRecord = createRecordValidator(root.find("/components/schemas/Row"), schemas);
  const validate = (row: TableRow) => validateRecord(cells.read(row).value, "column");
  t.strictSame({ ...(validate({ a: "1" }) as { value: object }).value }, { a: 1, b: "x" });
  for (const [row, path, requirement] of [
    [{ a: "1.0" }, "a", "must be an integer, in plain decimal digits"],
    [{ a: "1", c: "" }, "", /'c'/],
    [{}, "", "must have the column 'a'"],
  ] as const)
    t.match(validate(row), { problem: { path, requirement } });
});

t.test("The double quotes around the value of a cookie are not part of it", async (t) => {
  const array = (type: string) => `in: cookie, explode: false, schema: { type: array, items: { type: ${type} } }`;
  const { calls, get } = await serveOne(
    `{ name: ids, ${array("integer")} }, { name: names, ${array("string")} }, { name: n, in: cookie, schema: { type: integer } },
     { name: point, in: cookie, schema: { type: object, properties: { x: { type: integer }, y: { type: integer } } } }`,
  );
  t.match(await get("/a", { cookie: 'ids="1,2"; names="a b,c"; n="5"; x="1&y=2"' }), { status: 204 });
  t.match(calls.pop()?.cookies, { ids: [1, 2], names: ["a b", "c"], n: 5, point: { x: 1, y: 2 } });
  t.match(await get("/a", { cookie: 'names="a,b' }), { status: 204 });
  t.match(calls.pop()?.cookies, { names: ['"a', "b"] }, "one quote is part of the value");
});

t.test("A default of a parameter applies also if its schema is read-only, which concerns bodies", async (t) => {
  const schema = "{ type: object, default: { a: 1 }, readOnly: true, properties: { a: {}, b: { default: 2 } } }";
  const paths = `  /x:\n    get: { operationId: x, parameters: [{ name: q, in: query, style: deepObject, schema: ${schema} }], responses: { 204: { description: x } } }\n`;
  const { send, calls } = await serve(documentOf(paths));
  await send("GET", "/x");
  t.same(calls[0]?.query, { q: { a: 1, b: 2 } });
});

t.test("A handler gets a copy of a default that is an array", async (t) => {
  const schema = "{ type: array, items: { type: integer }, default: [1, 2] }";
  const paths = `  /x:\n    get: { operationId: x, parameters: [{ name: a, in: query, schema: ${schema} }], responses: { 204: { description: x } } }\n`;
  const { send, calls } = await serve(documentOf(paths));
  await send("GET", "/x");
  (calls[0]?.query as { a: number[] }).a.push(3);
  await send("GET", "/x");
  t.same(calls[1]?.query, { a: [1, 2] });
});

t.test("A handler receives the headers that the document declares, and no others", async (t) => {
  const paths = `  /x:
    get:
      operationId: x
      parameters: [{ name: X-A, in: header, schema: { type: integer } }]
      responses: { 204: { description: x } }
    post: { operationId: y, responses: { 204: { description: x } } }`;
  const { send, calls } = await serve(documentOf(paths));
  await send("GET", "/x", { headers: { "x-a": "5", authorization: "Bearer secret" } });
  await send("POST", "/x", { headers: { "x-a": "5" } });
  t.match(await send("GET", "/x", { headers: { "x-a": "five" } }), { status: 400 });
  t.same(
    calls.map(({ headers }) => ({ ...(headers as object) })),
    [{ "X-A": 5 }, {}],
  );
});

t.test("An unknown query parameter is rejected, also if its name is that of an object that was sent", async (t) => {
  const filter =
    "{ name: f, in: query, style: deepObject, schema: { type: object, properties: { a: { type: string } } } }";
  const { send } = await serve(
    documentOf(`  /x: { get: { operationId: x, parameters: [${filter}], responses: { 204: { description: x } } } }`),
  );
  t.match(await send("GET", "/x?f[a]=1"), { status: 204 });
  t.match(await send("GET", "/x?f[a]=1&f=x"), { status: 400 });
});
