// The media type of a response, if the handler does not set it.
import t from "tap";
import { RawJson } from "../../../src/lib/index.ts";
import { documentOf, serve } from "../../support/document-server.ts";

/** An operation with these responses. */
const operation = (id: string, responses: string) =>
  `\n  /${id}:\n    get:\n      operationId: ${id}\n      responses:\n        ${responses}`;

t.test("Chooses among the media types that the body can have", async (t) => {
  const json = "application/json";
  const forms = documentOf(
    [
      operation(
        "forms",
        "200: { description: x, content: { application/xml: {}, text/csv: {}, application/json: {} } }",
      ),
      operation("picture", "200: { description: x, content: { image/*: {}, application/json: {} } }"),
      operation("anything", "200: { description: x, content: { '*/*': {} } }"),
      operation("application", "200: { description: x, content: { application/*: {}, text/event-stream: {} } }"),
    ].join(""),
  );
  let result: unknown;
  const handler = async () => ({ status: 200, body: result });
  const { send } = await serve(forms, {
    handlers: { forms: handler, picture: handler, anything: handler, application: handler },
  });
  async function* items() {
    yield { data: 1 };
  }
  for (const [id, accept, body, type] of [
    ["forms", "application/xml;q=0.9, application/json;q=0.1", { a: 1 }, json],
    ["forms", "application/xml, */*;q=0.1", { a: 1 }, json],
    ["forms", "application/xml, */*;q=0.1", "<a/>", "application/xml"],
    ["forms", "text/*, application/json", 5, "text/csv; charset=utf-8"],
    ["forms", "*/*", Buffer.from("x"), "application/xml"],
    ["picture", "image/png, application/json;q=0.5", { a: 1 }, json],
    ["anything", "text/html", { a: 1 }, json],
    ["anything", "*/*", "x", "text/plain"],
    ["anything", "*/*", Buffer.from("x"), "application/octet-stream"],
    ["application", "*/*", { a: 1 }, "application/json"],
    ["application", "*/*", items(), "application/jsonl"],
    ["application", "text/event-stream", items(), "text/event-stream"],
  ] as const) {
    result = body;
    const response = await send("GET", `/${id}`, { headers: { accept } });
    t.match(response, { status: 200, headers: { "content-type": type } }, `${id} ${accept} ${typeof body}`);
  }
  result = { a: 1 };
  const refused = { status: 406, body: { message: "This operation responds with application/json." } };
  t.match(
    await send("GET", "/forms", { headers: { accept: "application/xml" } }),
    refused,
    "no other form can be made",
  );
  result = new RawJson('{"a":1}');
  for (const accept of ["application/xml", "text/csv"])
    t.match(await send("GET", "/forms", { headers: { accept } }), refused, `${accept} is not made of JSON text`);
  t.match(await send("GET", "/forms", { headers: { accept: "text/csv, */*;q=0.1" } }), { body: { a: 1 } });
  result = Buffer.from("x");
  t.match(await send("GET", "/picture", { headers: { accept: "image/png" } }), { status: 500 }, "which image it is");
});

t.test("A change is reported in the form that there is", async (t) => {
  const document = documentOf(`  /a:
    post: { operationId: a, responses: { 201: { description: x, content: { application/json: {}, application/xml: {} } } } }`);
  const accepted: unknown[] = [];
  const { send } = await serve(document, {
    handlers: {
      a: async ({ responseType }) => {
        accepted.push(responseType);
        return { status: 201, body: { a: 1 } };
      },
    },
  });
  t.match(await send("POST", "/a", { headers: { accept: "application/xml" } }), { status: 201, body: { a: 1 } });
  t.match(await send("POST", "/a", { headers: { accept: "text/html" } }), { status: 406 }, "before the change");
  t.same(accepted, ["application/xml"], "the handler knows what the client prefers");
});
