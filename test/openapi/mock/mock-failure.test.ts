// The errors of the mock have the declared shapes: what they require, and what says what is wrong.
import type { InjectOptions } from "fastify";
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/index.ts";
import { documentOf } from "../../support/document-server.ts";

const object = (required: readonly string[], properties: Readonly<Record<string, object>>) => ({
  type: "object",
  required,
  properties,
});
const text = { type: "string" };
const message = "The query parameter 'size' must be an integer, in plain decimal digits.";

/** Serves operations, in YAML, with mock responses. */
async function serveMock(t: Test, paths: string, rest = "") {
  const options = { document: parse(documentOf(paths, rest)), mock: true, docs: false };
  const app = await createServer({ ...options, logger: pino({ level: "silent" }) });
  t.teardown(() => app.close());
  return async (options: InjectOptions) => {
    const { statusCode, headers, body } = await app.inject(options);
    return { status: statusCode, type: headers["content-type"], problem: headers["mock-problem"], body };
  };
}

/** Returns the body of the 400 of an operation that declares a schema or an example for it. */
async function failWith(content: object, type = "application/json"): Promise<unknown> {
  const path = `  /books:
    get:
      operationId: listBooks
      parameters: [{ name: size, in: query, schema: { type: integer } }]
      responses: { 204: { description: x }, 400: { description: x, content: { "${type}": ${JSON.stringify(content)} } } }
`;
  const app = await createServer({
    document: parse(documentOf(path)),
    mock: true,
    logger: pino({ level: "silent" }),
    docs: false,
  });
  const response = await app.inject({ url: "/books?size=x" });
  await app.close();
  return response.json();
}

t.test("An error has the members that its schema requires, the reason, the code and the status", async (t) => {
  const inner = object(["message", "type"], {
    type: { type: "string", enum: ["api_connection_error", "invalid_request_error"] },
    code: text,
    message: text,
    payment: object(["id"], { id: text, description: text }),
  });
  for (const [schema, body] of [
    [object(["message"], { message: text, help: text, code: text }), { message, code: "invalid_parameter" }],
    [
      object(["error"], { error: inner }),
      { error: { type: "invalid_request_error", code: "invalid_parameter", message } },
    ],
    [
      object(["statusCode", "error", "message"], { statusCode: { type: "integer" }, error: text, message: text }),
      { statusCode: 400, error: "Bad Request", message },
    ],
    [
      object(["code"], {
        code: { enum: ["NOT_FOUND", "BAD_REQUEST"], type: "string" },
        details: object([], { message: text }),
      }),
      { code: "BAD_REQUEST", details: { message } },
    ],
    [
      object(["id", "errors"], {
        id: text,
        errors: { type: "array", minItems: 1, items: object(["msg"], { msg: text, at: text }) },
      }),
      { id: "text", errors: [{ msg: message }] },
    ],
  ] as const)
    t.match(await failWith({ schema }), body, JSON.stringify(schema));
  t.same(Object.keys((await failWith({ schema: object(["error"], { error: inner }) })) as object), ["error"]);
  const problem = object(["type", "title", "status"], {
    type: { type: "string", format: "uri-reference" },
    title: text,
    status: { type: "integer" },
    detail: text,
    instance: text,
  });
  const found = await failWith({ schema: problem }, "application/problem+json");
  t.strictSame(Object.keys(found as object), Object.keys(problem.properties), "the order is that of the schema");
  t.match(found, { title: "Bad Request", status: 400, detail: message });
});

t.test("An example of the document stays whole", async (t) => {
  const schema = { ...object(["message"], { message: text, help: text }), additionalProperties: false };
  t.same(await failWith({ schema, example: { message: "x", help: "https://example.org" } }), {
    message,
    help: "https://example.org",
  });
});

t.test("A declared example of any media type is the body of an error, and a header has the reason", async (t) => {
  const content = (type: string, example: string) =>
    `content: { ${type}: { schema: { type: string }, example: ${example} } }`;
  const send = await serveMock(
    t,
    `  /books:
    get:
      security: [{ key: [] }]
      parameters: [{ name: size, in: query, schema: { type: integer } }]
      responses:
        200: { description: x, content: { text/plain: {}, text/csv: {} } }
        400: { description: x, ${content("text/plain", "wrong size")} }
        401: { description: x, ${content("text/html", "<b>log in</b>")} }
        406: { description: x, ${content("application/xml", "<none/>")} }
    post:
      responses: { 204: { description: x }, 4XX: { description: x, ${content("text/plain; version=1", "no body")} } }
`,
    "components: { securitySchemes: { key: { type: apiKey, in: query, name: key } } }",
  );
  for (const [options, status, type, body, problem] of [
    ["/books?size=x&key=1", 400, "text/plain", "wrong size", message],
    ["/books", 401, "text/html", "<b>log in</b>", /requires a credential/],
    [{ url: "/books?key=1", headers: { accept: "image/png" } }, 406, "application/xml", "<none/>", /responds with/],
    [{ method: "POST", url: "/books", payload: { a: 1 } }, 415, "text/plain; version=1", "no body", /accepts no body/],
  ] as const)
    t.match(await send(typeof options === "string" ? { url: options } : { ...options }), {
      status,
      type,
      body,
      problem,
    });
});

t.test(
  "Without an example, a plain text is the reason, and what can't be made is in the shape of the server",
  async (t) => {
    const send = await serveMock(
      t,
      [
        "text/plain: {}",
        "text/plain: { schema: { type: string } }",
        "text/html: {}",
        "image/png: { schema: { type: object } }",
      ]
        .map(
          (content, index) => `  /a${index}:
    get:
      parameters: [{ name: size, in: query, schema: { type: integer } }]
      responses: { 204: { description: x }, default: { description: x, content: { ${content}, application/zip: {} } } }\n`,
        )
        .join(""),
    );
    for (const path of ["/a0", "/a1"])
      t.match(await send({ url: `${path}?size=x` }), { status: 400, type: "text/plain", body: message });
    for (const path of ["/a2", "/a3"])
      t.match(await send({ url: `${path}?size=x` }), { status: 400, type: "application/json", body: /^\{"code"/ });
  },
);

t.test("The client selects one of several media types of an error, and JSON is the default", async (t) => {
  const send = await serveMock(
    t,
    `  /a:
    get:
      parameters: [{ name: size, in: query, schema: { type: integer } }]
      responses:
        204: { description: x }
        400: { description: x, content: { text/html: { example: <p> }, application/json: { example: { own: 1 } } } }
`,
  );
  for (const [accept, type, body] of [
    ["*/*", "application/json", '{"own":1}'],
    ["text/html", "text/html", "<p>"],
    ["text/html;q=0.1, application/json", "application/json", '{"own":1}'],
    ["image/png", "application/json", '{"own":1}'],
  ] as const)
    t.match(await send({ url: "/a?size=x", headers: { accept } }), { status: 400, type, body }, accept);
});

t.test("An example without a schema, or of a schema that allows all else, is the body", async (t) => {
  const example = { error: "log in first" };
  t.same(await failWith({ example }), example);
  t.same(await failWith({ examples: { one: { value: example } } }), example);
  t.match(await failWith({ schema: { type: "object" }, example: { own: 1 } }), { own: 1, code: undefined });
  t.match(await failWith({ schema: { type: "object" } }), { code: "invalid_parameter", message });
  t.match(await failWith({}), { code: "invalid_parameter", message });
  t.match(await failWith({}, "application/vnd.api+json"), { code: "invalid_parameter", message });
});

t.test("What an operation does not declare has the shape of the errors of most operations", async (t) => {
  const errors = (name: string, status: string) =>
    `${status}: { description: x, content: { application/problem+json: { schema: { $ref: "#/components/schemas/${name}" }, example: { kind: gone, reason: It is gone } } } }`;
  const error = object(["kind", "reason"], { kind: text, reason: text, help: text });
  const send = await serveMock(
    t,
    `  /a: { get: { responses: { 204: { description: x }, ${errors("Error", "404")}, ${errors("Error", "409")}, ${errors("Other", "410")} } } }
  /b: { post: { requestBody: { required: true, content: { application/json: {} } }, responses: { 204: { description: x }, ${errors("Error", "422")} } } }
  /c: { get: { security: [{ key: [] }], responses: { 204: { description: x }, 401: { description: x }, ${errors("Other", "404")} } } }
`,
    `components:
  securitySchemes: { key: { type: apiKey, in: query, name: key } }
  schemas: ${JSON.stringify({ Error: error, Other: object(["own"], { own: text }) })}
`,
  );
  for (const [options, status, reason] of [
    [{ url: "/none" }, 404, /This path does not exist/],
    [{ method: "DELETE", url: "/a" }, 405, /does not support the method DELETE/],
    [{ url: "/a?x=1" }, 400, /'x'/],
    [{ method: "POST", url: "/b", payload: "a" }, 415, /Content-Type/],
    [{ url: "/c" }, 401, /requires a credential/],
  ] as const) {
    const { body, ...response } = await send({ ...options });
    t.match(response, { status, type: "application/problem+json", problem: undefined }, JSON.stringify(options));
    t.strictSame(Object.keys(JSON.parse(body)), ["kind", "reason"]);
    t.match(JSON.parse(body).reason, reason);
  }
  const headers = { "content-type": "application/json" };
  for (const payload of ["{", ""])
    t.match(await send({ method: "POST", url: "/b", payload, headers }), { status: 422, body: /"kind":"gone"/ });
});

t.test("A shape without a place for the reason, or of another status, is not that of all errors", async (t) => {
  for (const error of [
    object(["link"], { link: text }),
    object(["status", "err"], { status: { type: "integer", enum: [403] }, err: text }),
  ]) {
    const content = `content: { application/json: { schema: ${JSON.stringify(error)} } }`;
    const send = await serveMock(
      t,
      `  /a: { get: { responses: { 204: { description: x }, 403: { description: x, ${content} } } } }\n`,
    );
    t.match(JSON.parse((await send({ url: "/none" })).body), { status: 404, message: /This path does not exist/ });
  }
});

t.test("An invalid request is 422 if the document declares that, and 400 or 4XX not", async (t) => {
  const body =
    "requestBody: { content: { application/json: { schema: { type: object, properties: { a: { type: integer } } } } } }";
  const declared = `422: { description: x, content: { application/json: { schema: ${JSON.stringify(object(["message"], { message: text }))}, examples: { short: { value: { message: No } }, long: { value: { message: Not at all } } } } } }`;
  const paths = [declared, `${declared}, default: { description: x }`, `${declared}, 400: { description: x }`];
  paths.push(`${declared}, 4XX: { description: x }`, "422: { description: x }");
  const send = await serveMock(
    t,
    paths
      .map(
        (others, index) => `  /a${index}:\n    post: { ${body}, responses: { 204: { description: x }, ${others} } }\n`,
      )
      .join(""),
  );
  const post = async (index: number, payload: string, prefer = "") => {
    const headers = { "content-type": "application/json", prefer };
    const { status, body } = await send({ method: "POST", url: `/a${index}`, payload, headers });
    return [status, JSON.parse(body || "{}").message];
  };
  const reason = /^The field 'a' must be an integer/;
  for (const index of [0, 1, 4]) t.match(await post(index, '{"a":"x"}'), [422, reason], `${index}`);
  for (const index of [2, 3]) t.match(await post(index, '{"a":"x"}'), [400, reason], `${index}`);
  t.match(await post(0, "{"), [422, /not valid JSON/]);
  for (const index of [0, 2, 3])
    t.same(await post(index, '{"a":"x"}', "code=422, example=long"), [422, "Not at all"], `${index}`);
  t.match(await post(0, '{"a":"x"}', "code=204"), [422, reason], "an invalid request is no success");
  t.same(await post(0, '{"a":1}', "code=422, example=long"), [422, "Not at all"]);
  t.match(await post(0, '{"a":1}', "code=404"), [400, /Prefer has the status 404/], "the reason is about Prefer");
  const { status } = await send({
    method: "POST",
    url: "/a0",
    payload: "x",
    headers: { "content-type": "text/plain" },
  });
  t.equal(status, 415, "other failures keep their status");
});
