// Bodies of requests: which media types an operation accepts, and what its handler receives.
import t, { type Test } from "tap";
import { parseDocument } from "../../../src/openapi/document/document.ts";
import { documentOf, serve } from "../../support/document-server.ts";

const operation = (id: string, content: string, required = false) => `
  /${id}:
    post:
      operationId: ${id}
      requestBody:
        required: ${required}
        content:
          ${content}
      responses: { 204: { description: Done } }`;

const pair = "{ type: object, required: [a], properties: { a: { type: integer }, b: { default: 2 } } }";
const { app, calls, send } = await serve(
  documentOf(
    [
      operation("json", `application/json: { schema: ${pair} }`),
      ...["patch", "put"].map(
        (method) => `
    ${method}:
      operationId: ${method}
      requestBody: { content: { application/merge-patch+json: { schema: { type: object } } } }
      responses: { 204: { description: Done } }`,
      ),
      operation("required", `application/json: { schema: ${pair} }`, true),
      operation("nullable", 'application/json: { schema: { type: ["null", integer] } }', true),
      operation("problem", "application/problem+json: { schema: { type: object } }"),
      operation(
        "versions",
        "application/json;version=1: { schema: { const: 1 } }\n          application/json;version=2: { schema: { const: 2 } }",
      ),
      operation("plain", "text/plain: { schema: { type: string, maxLength: 5 } }"),
      operation("number", "text/plain: { schema: { type: number } }"),
      operation("texts", "text/*: { schema: { type: string } }\n          text/csv: { schema: { const: csv } }"),
      operation("any", '"*/*": { schema: { type: string } }\n          application/json: { schema: { const: 1 } }'),
      operation("anyObject", `"*/*": { schema: ${pair} }`),
      operation("open", '"*/*": {}'),
      operation("kept", "application/json: { schema: { type: integer } }\n          examples: {}"),
      "\n  /none:\n    post: { operationId: none, responses: { 204: { description: Done } } }",
    ].join(""),
  ),
);
t.teardown(() => app.close());
t.beforeEach(() => {
  calls.length = 0;
});

type Case = [
  path: string,
  type: string | undefined,
  payload: string | Buffer | undefined,
  status: number,
  body?: unknown,
];

/** Sends bodies. The last member of a case is what the handler receives, or the message of the failure. */
async function check(t: Test, cases: readonly Case[]) {
  for (const [path, type, payload, status, expected] of cases) {
    calls.length = 0;
    const name = `${path} ${type} ${payload}`.slice(0, 80);
    const response = await send("POST", `/${path}`, {
      ...(payload !== undefined && { payload }),
      headers: {
        ...(type !== undefined && { "content-type": type }),
        ...(payload === "" && { "transfer-encoding": "chunked" }),
      },
    });
    t.equal(response.status, status, `${name}: ${response.text}`);
    if (status < 300) t.same(calls[0]?.body, expected, name);
    else if (expected) t.match(response.body, { message: expected }, name);
    if (status >= 300) t.equal(calls.length, 0, "the handler is not called");
  }
}

t.test("Reads JSON in the media types that the operation declares", (t) =>
  check(t, [
    ["json", "application/json", '{"a":1}', 204, { a: 1, b: 2 }],
    ["json", "Application/JSON; charset=UTF-8", '{"a":1}', 204, { a: 1, b: 2 }],
    ["json", 'application/json; charset="utf-8"; x=y', '{"a":1}', 204, { a: 1, b: 2 }],
    ["json", "application/json", '{"a":"1"}', 400, "The field 'a' must be an integer."],
    ["json", "application/json", "[]", 400, "The body must be an object."],
    ["json", "application/json", "{a:1}", 400, /^The body is not valid JSON/],
    ["json", "application/json", "", 204, undefined],
    ["json", "application/json", Buffer.from([0x22, 0xff, 0x22]), 400, "The body must be encoded in UTF-8."],
    ["json", "application/json", "[".repeat(100_000), 400, /^The body is not valid JSON/],
    ["json", "application/json; charset=latin1", '{"a":1}', 415, "The charset of the Content-Type must be UTF-8."],
    ["json", "application/problem+json", '{"a":1}', 415, "The Content-Type of the body must be application/json."],
    ["json", "text/plain", '{"a":1}', 415, "The Content-Type of the body must be application/json."],
    ["json", "application", '{"a":1}', 415],
    ["json", "", '{"a":1}', 415],
    ["problem", "application/problem+json", "{}", 204, {}],
    ["problem", "application/json", "{}", 415],
    ["versions", "application/json; version=2", "2", 204, 2],
    ["versions", "application/json; version=2", "1", 400],
    ["versions", "application/json", "1", 204, 1],
    ["versions", "application/json; version=3", "1", 415],
    ["kept", "application/json", "1", 204, 1],
    ["kept", "examples", "1", 415, "The Content-Type of the body must be application/json."],
    ["none", "text/plain", "x", 415, "This operation accepts no body."],
    ["none", undefined, undefined, 204],
  ]),
);

t.test("Names the media types that it accepts in Accept-Post and Accept-Patch", async (t) => {
  const names = async (method: string, path: string) => {
    const { status, headers } = await send(method, path, { payload: "x", headers: { "content-type": "image/png" } });
    return [status, headers["accept-post"], headers["accept-patch"]];
  };
  t.same(await names("POST", "/json"), [415, "application/json", undefined]);
  t.same(await names("POST", "/texts"), [415, "text/*, text/csv", undefined]);
  t.same(await names("PATCH", "/json"), [415, undefined, "application/merge-patch+json"]);
  t.same(await names("PUT", "/json"), [415, undefined, undefined]);
  t.same(await names("POST", "/none"), [415, undefined, undefined]);
});

t.test("Requires a body only if the document does", (t) =>
  check(t, [
    ["json", undefined, undefined, 204, undefined],
    ["json", "application/json", undefined, 204, undefined],
    ["json", "application/json", "null", 400, "The body must be an object."],
    ["required", undefined, undefined, 400, "The request must have a body."],
    ["required", "application/json", undefined, 400, "The request must have a body."],
    ["required", "application/json", '{"a":1}', 204, { a: 1, b: 2 }],
    ["nullable", "application/json", "null", 204, null],
    ["nullable", undefined, undefined, 400, "The request must have a body."],
  ]),
);

t.test(
  "A request without content has no media type that could be wrong, and an empty JSON text is no body",
  async (t) => {
    const empty = (path: string, type: string, headers: Record<string, string> = { "content-length": "0" }) =>
      send("POST", `/${path}`, { headers: { "content-type": type, ...headers } });
    for (const path of ["json", "plain", "none"])
      for (const type of ["", "json", "undefined"]) t.equal((await empty(path, type)).status, 204, `${path} ${type}`);
    const message = "The request must have a body.";
    for (const type of ["", "application/json", "application/vnd.x+json; charset=utf-8"])
      t.match(await empty("required", type), { status: 400, body: { message } }, type);
    t.match(await empty("required", "application/json", { "transfer-encoding": "chunked" }), { body: { message } });
    t.equal((await send("POST", "/json", { payload: "{}", headers: { "content-type": "" } })).status, 415);
  },
);

t.test("Reads text in UTF-8", (t) =>
  check(t, [
    ["plain", "text/plain", "Grüße", 204, "Grüße"],
    ["plain", "text/plain; charset=utf-8", "", 204, undefined],
    ["plain", "text/plain", "123456", 400, "The body must have at most 5 characters."],
    ["plain", "text/plain; charset=iso-8859-1", "x", 415, "The charset of the Content-Type must be UTF-8."],
    ["plain", "text/plain", Buffer.from([0xff]), 400, "The body must be encoded in UTF-8."],
    ["number", "text/plain", "1.5", 204, 1.5],
    ["number", "text/plain", "one", 400, "The body must be a number."],
  ]),
);

t.test("Selects the most specific media type range", async (t) => {
  await check(t, [
    ["texts", "text/html", "<p>", 204, "<p>"],
    ["texts", "text/csv", "csv", 204, "csv"],
    ["texts", "text/csv", "other", 400],
    ["texts", "application/json", "1", 415, "The Content-Type of the body must be text/* or text/csv."],
    ["any", "application/json", "1", 204, 1],
    ["any", "application/json", "2", 400],
    ["anyObject", "application/json", '{"a":1}', 204, { a: 1, b: 2 }],
    ["anyObject", "application/x-www-form-urlencoded", "a=1", 204, { a: 1, b: 2 }],
    ["anyObject", "application/json", '{"a":"x"}', 400, "The field 'a' must be an integer."],
    ["anyObject", "image/png", "x", 415],
  ]);
  for (const path of ["any", "open"])
    t.equal((await send("POST", `/${path}`, { payload: "x", headers: { "content-type": "image/png" } })).status, 204);
  t.type(calls[0]?.body, "object", "a stream");
});

t.test("Reports bodies that would not be enforced", async (t) => {
  const ok = "responses: { 204: { description: Done } }";
  for (const [paths, message] of [
    [
      `  /x:\n    get: { operationId: x, requestBody: { content: { a/b: {} } }, ${ok} }`,
      /x has a body, which is ignored, because GET requests have none/,
    ],
    [`  /x:\n    post: { operationId: x, requestBody: { content: {} }, ${ok} }`, /x has a body without a media type/],
    [
      `  /x:\n    post: { operationId: x, requestBody: { content: { application/json: {} } }, ${ok} }`,
      /x has a body without a schema for application\/json/,
    ],
    ...[0, -1, 1.5, "lots"].map(
      (bytes) =>
        [
          `  /x:\n    post: { operationId: x, requestBody: { content: { a/b: {} }, x-max-bytes: ${bytes} }, ${ok} }`,
          new RegExp(`x has the x-max-bytes ${bytes}, but it must be a positive integer`),
        ] as const,
    ),
  ] as const)
    await t.rejects(parseDocument(documentOf(paths), { strict: true }), { message }, String(message));
});
