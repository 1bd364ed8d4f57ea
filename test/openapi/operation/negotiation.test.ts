// The responses of operations: media types, bodies and headers as the document declares them.
import { Readable } from "node:stream";
import t from "tap";
import { RawJson } from "../../../src/lib/index.ts";
import { parseDocument } from "../../../src/openapi/index.ts";
import { documentOf, type ServeOptions, serve } from "../../support/document-server.ts";

const operation = (id: string, responses: string) => `
  /${id}:
    get:
      operationId: ${id}
      responses:
        ${responses}`;

const number = "application/json: { schema: { type: integer } }";
const text = documentOf(
  [
    operation("one", `200: { description: x, content: { ${number} } }`),
    operation(
      "several",
      `200: { description: x, content: { application/json: { schema: { type: integer, format: int64 } }, text/csv: {}, image/png: {} } }`,
    ),
    operation("versions", `200: { description: x, content: { a/b;v=1: {}, a/b;v=2: {} } }`),
    operation("range", `200: { description: x, content: { text/*: {}, application/json: {} } }`),
    operation("markup", `200: { description: x, content: { text/html;charset=utf-8: {}, text/plain: {} } }`),
    operation(
      "statuses",
      `200: { description: x, content: { ${number} } }
        204: { description: x }
        304: { description: x, content: { ${number} } }
        4XX: { description: x, content: { application/problem+json: { schema: { type: object } } } }
        404: { description: x, content: { text/plain: { schema: { type: string, maxLength: 5 } } } }
        default: { description: x, content: { application/json: { schema: { const: other } } } }`,
    ),
    operation("strict", `200: { description: x, content: { ${number} } }`),
    operation(
      "headers",
      `204:
          description: x
          headers:
            X-Ids: { schema: { type: array, items: { type: integer } } }
            X-Point: { schema: { type: object } }
            X-Pairs: { explode: true, schema: { type: object } }
            X-Json: { content: { application/json: { schema: { type: object } } } }
            X-Text: { content: { text/plain: { schema: { type: string } } } }
            X-Flag: { schema: { type: boolean } }
            Set-Cookie: { schema: { type: array, items: { type: string } } }
        200:
          description: x
          headers:
            X-Needed: { required: true, schema: { type: string } }
            X-Request-Id: { required: true, schema: { type: string } }
            Content-Type: { required: true, schema: { const: never } }
            Date: { required: true, schema: {} }`,
    ),
    "\n  /open:\n    get: { operationId: open }",
  ].join(""),
);

/** Serves the document. `reply` responds with a result of a handler. */
async function start(options: ServeOptions = {}) {
  let result: object = {};
  const errors: string[] = [];
  const ids = ["one", "several", "versions", "range", "markup", "statuses", "strict", "headers", "open"];
  const handlers = Object.fromEntries(ids.map((id) => [id, async () => result]));
  const { app, send } = await serve(text, { ...options, handlers });
  app.addHook("onError", async (_request, _reply, error) => {
    errors.push(error.message);
  });
  t.teardown(() => app.close());
  return {
    errors,
    reply: (id: string, next: object, headers: Record<string, string> = {}, method = "GET") => {
      result = next;
      return send(method, `/${id}`, { headers });
    },
  };
}

const { reply, errors } = await start();
const lax = await start({ validateResponses: false });

t.test("Responds in the media type that the client prefers", async (t) => {
  const json = "application/json";
  for (const [id, accept, type] of [
    ["several", undefined, json],
    ["several", "", json],
    ["several", "*/*", json],
    ["several", "text/csv", "text/csv; charset=utf-8"],
    ["several", "TEXT/CSV", "text/csv; charset=utf-8"],
    ["several", "text/*", "text/csv; charset=utf-8"],
    ["several", "application/json;q=0.5, text/csv;q=0.9, */*;q=0.1", "text/csv; charset=utf-8"],
    ["several", "text/csv, application/json", json],
    ["several", "application/json;q=0, */*", "text/csv; charset=utf-8"],
    ["several", "*/*;q=0.9, text/*;q=0.1, application/*;q=0.2, text/csv;q=0", "image/png"],
    ["several", "application/json; charset=utf-8", json],
    ["several", "text/csv;q=x, image/png", "image/png"],
    ["several", "text/csv;q=2, image/png", "image/png"],
    ["several", "x".repeat(1_025), json],
    ["several", "text/csv; header=present, ;;, image/png;q=0.1", "text/csv; charset=utf-8"],
    ["versions", "a/b", "a/b;v=1"],
    ["versions", "a/b; v=2", "a/b;v=2"],
    ["versions", "a/b;q=0.5, a/b;v=2;q=0.1", "a/b;v=1"],
    ["markup", "text/html", "text/html;charset=utf-8"],
    ["one", "image/png", json],
    ["one", "application/json;q=0", json],
  ] as const) {
    const response = await reply(id, { status: 200, body: "1" }, accept === undefined ? {} : { accept });
    const expected = id === "one" || type === json ? undefined : type;
    if (expected) t.match(response, { status: 200, headers: { "content-type": type } }, `${id} ${accept}`.slice(0, 80));
    const plain = await lax.reply(id, { status: 200, body: "1" }, accept === undefined ? {} : { accept });
    t.match(plain, { status: 200, headers: { "content-type": type } }, `${id} ${accept}`.slice(0, 80));
  }
});

t.test("Rejects a request that accepts none of several media types", async (t) => {
  for (const [id, accept, message] of [
    ["several", "text/html", "This operation responds with application/json or text/csv or image/png."],
    ["several", "application/json;q=0", "This operation responds with application/json or text/csv or image/png."],
    ["versions", "a/b;v=3", "This operation responds with a/b;v=1 or a/b;v=2."],
    ["range", "image/png", "This operation responds with text/* or application/json."],
  ] as const)
    t.match(await reply(id, {}, { accept }), { status: 406, body: { code: "not_acceptable", message } });
  const page = { status: 200, type: "text/html", body: "<p>" };
  t.match(await reply("range", page, { accept: "text/html" }), { status: 200, text: "<p>" }, "within the range");
});

t.test("Writes each kind of body", async (t) => {
  const bytes = Buffer.from([0, 255]);
  const web = () => new Blob([bytes]).stream();
  for (const [id, type, body, payload] of [
    ["several", undefined, 12, "12"],
    ["several", "application/json", 9_007_199_254_740_993n, "9007199254740993"],
    ["several", "application/json", new RawJson("[ 1 ]"), "[ 1 ]"],
    ["several", "text/csv", "a,ü", "a,ü"],
    ["several", "text/csv", Buffer.from("a,b"), "a,b"],
    ["several", "text/csv", Readable.from(["a", ",b"]), "a,b"],
    ["several", "text/csv", 5, "5"],
    ["several", "image/png", "png", "png"],
    ["several", "image/png", bytes, bytes.toString()],
    ["several", "image/png", new Uint8Array(bytes), bytes.toString()],
    ["several", "image/png", Readable.from([bytes]), bytes.toString()],
    ["several", "image/png", web(), bytes.toString()],
    ["range", "text/markdown", "# A", "# A"],
    ["open", undefined, { a: 1 }, '{"a":1}'],
    ["open", undefined, "a", "a"],
    ["open", undefined, bytes, bytes.toString()],
    ["statuses", undefined, 0, "0"],
  ] as const)
    t.match(await reply(id, { status: 200, type, body }), { status: 200, text: payload }, `${type} ${body}`);
});

t.test("Selects the declaration by status, then by range, then the default", async (t) => {
  for (const [status, body, type, payload] of [
    [200, 1, /^application\/json/, "1"],
    [404, "short", /^text\/plain/, "short"],
    [418, {}, /^application\/problem\+json/, "{}"],
    [503, "other", /^application\/json/, '"other"'],
    [204, undefined, undefined, ""],
    [304, undefined, undefined, ""],
  ] as const) {
    const response = await reply("statuses", { status, body });
    t.match(response, { status, text: payload }, `${status}`);
    t.match(response.headers["content-type"], type);
  }
  for (const status of [204, 304])
    t.match(await reply("statuses", { status, body: 1 }), { status: 500 }, `${status} has no body`);
  t.match(await reply("one", { status: 200, body: 1 }, {}, "HEAD"), { status: 200, text: "" });
  t.match(await reply("one", { status: 200 }, {}, "HEAD"), { status: 200, text: "" });
});

t.test("Responds with 500 to what the document does not declare, and logs the reason", async (t) => {
  for (const [id, response, message] of [
    ["strict", { status: 201, body: 1 }, "The handler returned the status 201, which the document does not declare."],
    ["strict", { status: 204 }, "The handler returned the status 204, which the document does not declare."],
    ["strict", { status: 200 }, "The handler returned no body for the status 200, which declares one."],
    ["strict", { status: 200, body: null }, /body of the status 200, which must be an integer/],
    [
      "strict",
      { status: 200, type: "text/csv", body: 1 },
      /returned text\/csv for the status 200, which declares appl/,
    ],
    ["statuses", { status: 404, body: "longer" }, /404, which must have at most 5 characters/],
    ["statuses", { status: 500, body: "this" }, /500, which must be equal to other/],
    ["range", { status: 200, body: Buffer.from("x") }, "The handler must return the type of the body, one of text/*."],
    ["several", { status: 200, type: "image/png", body: {} }, /must return image\/png as a string, bytes or a stream/],
    ["headers", { status: 204, headers: { "X-Ids": ["a"] } }, /returned the header X-Ids, which must be an integer/],
    [
      "headers",
      { status: 204, headers: { "x-flag": 1 } },
      "The handler returned the header x-flag, which must be a boolean.",
    ],
    [
      "headers",
      { status: 204, headers: { "X-Json": [] } },
      "The handler returned the header X-Json, which must be an object.",
    ],
    ["headers", { status: 200 }, "The handler returned no header x-needed, which the status 200 requires."],
    ["headers", { status: 200, headers: { "X-Needed": undefined } }, /returned no header x-needed/],
    [
      "headers",
      { status: 200, headers: { "X-Needed": "a" }, body: 1 },
      "The document declares no body for the status 200.",
    ],
  ] as const) {
    errors.length = 0;
    const { status, headers, body } = await reply(id, response);
    t.match({ status, body }, { status: 500, body: { code: "internal_error" } });
    t.match(errors[0], message);
    t.equal(headers["x-needed"], undefined, "without the headers of the handler");
  }
});

t.test("Sends what does not match the document if responses are not validated, but no undeclared status", async (t) => {
  for (const [id, response, expected] of [
    ["strict", { status: 201, body: 1 }, { status: 500 }],
    ["strict", { status: 204 }, { status: 500 }],
    ["strict", { status: 200 }, { status: 200, text: "" }],
    ["strict", { status: 200, body: "x" }, { status: 200, text: '"x"' }],
    ["strict", { status: 200, type: "text/csv", body: "x" }, { text: "x", headers: { "content-type": /^text\/csv/ } }],
    [
      "headers",
      { status: 204, headers: { "X-Ids": ["a"], "X-Flag": 1 } },
      { headers: { "x-ids": "a", "x-flag": "1" } },
    ],
    ["headers", { status: 200 }, { status: 200 }],
  ] as const)
    t.match(await lax.reply(id, response), expected);
});

t.test("Serializes headers by their schemas", async (t) => {
  const headers = {
    "X-Ids": [1, 2],
    "x-point": { x: 1, y: 2 },
    "X-Pairs": { x: 1, y: 2 },
    "X-Json": { name: "漢\n" },
    "X-Text": "a",
    "X-Flag": false,
    "X-Own": 5,
    "X-None": undefined,
    "Set-Cookie": ["a=1", "b=2, 3"],
  };
  const response = await reply("headers", { status: 204, headers });
  t.match(response, {
    status: 204,
    headers: {
      "x-ids": "1, 2",
      "x-point": "x,1,y,2",
      "x-pairs": "x=1,y=2",
      "x-json": '{"name":"\\u6f22\\n"}',
      "x-text": "a",
      "x-flag": "false",
      "x-own": "5",
      "set-cookie": ["a=1", "b=2, 3"],
    },
  });
  t.equal(response.headers["x-none"], undefined);
  t.match(
    await reply("headers", { status: 200, headers: { "x-NEEDED": "a" } }),
    { status: 200 },
    "others are set by hooks",
  );
});

t.test("Reports responses that no status selects", async (t) => {
  const wrong = (status: string) => documentOf(`  /x:\n    get: { responses: { ${status}: { description: x } } }`);
  for (const status of ["'099'", "4xx", "6XX", "ok"])
    await t.rejects(parseDocument(wrong(status)), {
      message: /has the response .+, which is neither/,
    });
});
