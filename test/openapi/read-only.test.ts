// The option `readOnly`: read-only members of a request body are rejected, or removed.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, type OpenApiOptions } from "../../src/openapi/index.ts";
import { documentOf } from "../support/document-server.ts";

const schema = `{
  type: object, required: [id, name], additionalProperties: false,
  properties: {
    id: { type: integer, readOnly: true }, name: { type: string },
    owner: { allOf: [{ $ref: "#/components/schemas/Owner" }] },
    list: { type: array, items: { $ref: "#/components/schemas/Owner" } } } }`;
const document = parse(
  documentOf(
    `  /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { 204: { description: x } } } }`,
    `components: { schemas: { Owner: { type: object, properties: { key: { type: string, readOnly: true }, age: { type: integer } } } } }`,
  ),
);
const sent = { id: "x", name: "Rex", owner: { key: 1, age: 5 }, list: [{ key: "k" }, { age: 6, key: null }] };
const logger = pino({ level: "silent" });

async function post(body: object, options: Partial<OpenApiOptions>): Promise<{ status: number; seen: unknown }> {
  let seen: unknown;
  const a = async (call: { body?: unknown }) => {
    seen = call.body;
    return { status: 204 };
  };
  const app = await createServer({ document, handlers: { a }, logger, ...options });
  const { statusCode: status } = await app.inject({ method: "POST", url: "/a", headers: { host: "x" }, payload: body });
  return { status, seen };
}

t.test("Rejects read-only members by default", async (t) => {
  t.match(await post(sent, {}), { status: 400, seen: undefined });
  t.match(await post({ name: "Rex", owner: { key: "k" } }, {}), { status: 400, seen: undefined });
});

t.test("Removes them, whatever they contain, at each depth", async (t) => {
  const seen = { name: "Rex", owner: { age: 5 }, list: [{}, { age: 6 }] };
  t.strictSame(await post(sent, { readOnly: "drop" }), { status: 204, seen });
  t.match(await post({ ...sent, name: 1 }, { readOnly: "drop" }), { status: 400 }, "others are validated");
  t.match(await post({ ...sent, other: 1 }, { readOnly: "drop" }), { status: 400 });
});

t.test("A mock removes them, unless the option says otherwise", async (t) => {
  t.match(await post(sent, { mock: true }), { status: 204 });
  t.match(await post(sent, { mock: true, readOnly: "reject" }), { status: 400 });
});
