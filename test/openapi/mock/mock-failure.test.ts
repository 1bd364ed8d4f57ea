// The errors of the mock have the declared shapes: what they require, and what says what is wrong.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer } from "../../../src/openapi/index.ts";
import { documentOf } from "../../support/document-server.ts";

const object = (required: readonly string[], properties: Readonly<Record<string, object>>) => ({
  type: "object",
  required,
  properties,
});
const text = { type: "string" };
const message = "The query parameter 'size' must be an integer, in plain decimal digits.";

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
  t.strictSame(Object.keys(found as object), ["type", "title", "status", "detail"], "the order is that of the schema");
  t.match(found, { title: "Bad Request", status: 400, detail: message });
});

t.test("An example of the document stays whole", async (t) => {
  const schema = { ...object(["message"], { message: text, help: text }), additionalProperties: false };
  t.same(await failWith({ schema, example: { message: "x", help: "https://example.org" } }), {
    message,
    help: "https://example.org",
  });
});
