// The option `readOnly`: read-only members of a request body are rejected, or removed.
import { pino } from "pino";
import t from "tap";
import { parse } from "yaml";
import { createServer, type OpenApiOptions } from "../../src/index.ts";
import { documentOf } from "../support/document-server.ts";

const schema = `{ type: object, required: [id, name], additionalProperties: false, properties: { ${[
  "id: { type: integer, readOnly: true }",
  "name: { type: string }",
  'owner: { allOf: [{ $ref: "#/components/schemas/Owner" }] }',
  'list: { type: array, items: { $ref: "#/components/schemas/Owner" } }',
].join()} } }`;
const components =
  "components: { schemas: { Owner: { type: object, properties: { key: { type: string, readOnly: true }, age: { type: integer } } } } }";
const documentWith = (schema: string) =>
  parse(
    documentOf(
      `  /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { 204: { description: x } } } }`,
      components,
    ),
  );
const sent = { id: "x", name: "Rex", owner: { key: 1, age: 5 }, list: [{ key: "k" }, { age: 6, key: null }] };
const logger = pino({ level: "silent" });

async function post(
  body: object,
  options: Partial<OpenApiOptions>,
  document = documentWith(schema),
): Promise<{ status: number; seen: unknown }> {
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

t.test("What remains is validated, and what only some alternatives call read-only remains", async (t) => {
  const drop = { readOnly: "drop" } as const;
  const id = "id: { type: integer, readOnly: true }";
  for (const [schema, body, expected] of [
    [`{ properties: { ${id} }, minProperties: 1 }`, { id: 1 }, 400],
    [`{ properties: { ${id} }, patternProperties: { "^x": { readOnly: true } } }`, { id: 1, x1: 2, y: 3 }, { y: 3 }],
    [
      "{ additionalProperties: { type: object, properties: { a: { readOnly: true } } } }",
      { b: { a: 1, c: 2 } },
      { b: { c: 2 } },
    ],
    [
      `{ type: object, allOf: [{ properties: { ${id} } }, { properties: { id: { type: string } } }] }`,
      { id: 1, n: 2 },
      { n: 2 },
    ],
    [`{ anyOf: [{ properties: { ${id} } }, { properties: { ${id}, n: {} } }] }`, { id: 1, n: 2 }, { n: 2 }],
    [
      "{ oneOf: [{ properties: { k: { const: a }, id: { readOnly: true } } }, { required: [id], properties: { k: { const: b }, id: { type: integer } } }] }",
      { k: "b", id: 7 },
      { k: "b", id: 7 },
    ],
    [
      "{ oneOf: [{ properties: { k: { const: a }, id: { readOnly: true } } }, { required: [id], properties: { k: { const: b }, id: { type: integer } } }] }",
      { k: "b", id: "x" },
      400,
    ],
  ] as [string, object, object | number][]) {
    const { status, seen } = await post(structuredClone(body), drop, documentWith(schema));
    t.strictSame(status === 204 ? seen : status, expected, schema);
  }
});
