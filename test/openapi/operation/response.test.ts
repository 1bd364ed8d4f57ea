// What handlers return: validated against the document, and written.
import t from "tap";
import { RawJson } from "../../../src/lib/index.ts";
import { handlers } from "../../../src/pets/handlers.ts";
import { editDocument, findOperation } from "../../support/document.ts";
import { documentOf, serve } from "../../support/document-server.ts";
import { start } from "../../support/service.ts";

t.test("Validates a response of a range of statuses, and changes no body", async (t) => {
  const document = editDocument((content) => {
    const { responses } = findOperation(content, "listPets");
    responses["4XX"] = {
      description: "x",
      content: {
        "application/json": { schema: { type: "object", properties: { id: { type: "integer", format: "int64" } } } },
      },
    };
  });
  const body = Object.freeze({ id: 1, code: "teapot" });
  const handler = async () => ({ status: 418, body });
  const { app, key } = await start(t, { document, handlers: { ...handlers, listPets: handler } });
  const { statusCode, payload } = await app.inject({
    url: "/v1/pets",
    headers: { host: "x", authorization: `Bearer ${key}` },
  });
  t.same([statusCode, JSON.parse(payload)], [418, { id: 1, code: "teapot" }]);
});

t.test("Writes an int64 exactly, also in a response of the status default", async (t) => {
  const id = 9_007_199_254_740_993n;
  const list = await start(t, {
    handlers: { ...handlers, listPets: async () => ({ status: 200, body: [{ id, name: "Rex", categoryId: 7n }] }) },
  });
  t.equal((await list.call("GET", "/v1/pets")).text, `[{"id":${id},"name":"Rex","categoryId":7}]`);
  const body = { code: "teapot", message: "The pot is short.", status: 418 };
  const pot = await start(t, { handlers: { ...handlers, listPets: async () => ({ status: 418, body }) } });
  t.match(await pot.call("GET", "/v1/pets"), { status: 418, body, headers: { link: /service-desc/ } });
});

t.test("Sends JSON text unchanged, also of a failure, and leaves out headers without a value", async (t) => {
  const json = '{ "code": "x", "message": "x", "status": 404 }';
  const response = { status: 404, body: new RawJson(json), headers: { "X-A": "1", "X-B": undefined } };
  const { call } = await start(t, { handlers: { ...handlers, listPets: async () => response } });
  const { status, text, headers } = await call("GET", "/v1/pets");
  t.same([status, text, headers["x-a"], headers["x-b"]], [404, json, "1", undefined]);
  t.match(headers.link, /service-desc/);
});

t.test("JSON text has the type and the headers of any other body", async (t) => {
  const header = "headers: { X-List: { schema: { type: array, items: { type: string } } } }";
  const content = "content: { application/json: { schema: {} }, application/hal+json: { schema: {} } }";
  const { send } = await serve(
    documentOf(`  /x: { get: { operationId: x, responses: { 200: { description: x, ${header}, ${content} } } } }`),
    {
      handlers: {
        x: async () => ({
          status: 200,
          type: "application/hal+json",
          headers: { "X-List": ["a", "b"] },
          body: new RawJson("{}"),
        }),
      },
    },
  );
  t.match(await send("GET", "/x"), {
    status: 200,
    headers: { "content-type": "application/hal+json", "x-list": "a, b" },
  });
});

t.test("Responds with 500 to a status that is not final", async (t) => {
  const { send } = await serve(
    documentOf("  /x: { get: { operationId: x, responses: { 1XX: { description: x } } } }"),
    {
      handlers: { x: async () => ({ status: 101 }) },
    },
  );
  t.match(await send("GET", "/x"), { status: 500 });
});

t.test("Responds with 500 to a header that HTTP does not allow, in the shape of all errors", async (t) => {
  const { send } = await serve(
    documentOf("  /x: { get: { operationId: x, responses: { 204: { description: x } } } }"),
    {
      handlers: { x: async () => ({ status: 204, headers: { "X-A": "a → b" } }) },
    },
  );
  t.match(await send("GET", "/x"), { status: 500, body: { code: "internal_error" } });
});

t.test("Texts of headers and bodies can be what their schemas describe, or what is read from them", async (t) => {
  const headers = [
    "Set-Cookie: { schema: { type: string, pattern: ^a } }",
    "X-T: { content: { text/plain: { schema: { type: integer } } } }",
    "X-O: { schema: { type: object } }",
  ];
  const content = "content: { text/plain: { schema: { type: integer } } }";
  const responses = `responses: { 2XX: { description: x, headers: { ${headers} }, ${content} } }`;
  let response: object = {};
  const { send } = await serve(documentOf(`  /x: { get: { operationId: x, ${responses} } }`), {
    handlers: { x: async () => ({ status: 200, body: 5, ...response }) },
  });
  for (const [next, status] of [
    [{ headers: { "Set-Cookie": ["a=1", "a=2"] } }, 200],
    [{ headers: { "Set-Cookie": "a=1" } }, 200],
    [{ headers: { "Set-Cookie": ["a=1", "b=2"] } }, 500],
    [{ headers: { "X-T": "1" } }, 200],
    [{ headers: { "X-T": "a" } }, 500],
    [{ headers: { "X-O": "a,1" } }, 200],
    [{ headers: { "X-O": "a" } }, 500],
    [{ body: "5" }, 200],
    [{ body: "a" }, 500],
    [{ body: null }, 500],
  ] as const) {
    response = next;
    t.equal((await send("GET", "/x")).status, status, JSON.stringify(next));
  }
});
