// Records of their callers: `owner` of x-resource.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { parseDocument } from "../../src/openapi/index.ts";
import { openStore, planOf } from "../../src/resources/index.ts";
import { emptyDatabase } from "../support/databases.ts";
import { documentOf } from "../support/document-server.ts";

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const body = (schema: string) => `requestBody: { required: true, ${json(schema)} }`;
const ok = (schema: string, status = 200) => `responses: { ${status}: { description: x, ${json(schema)} } }`;
const path = (...names: string[]) =>
  `parameters: [${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: integer } }`)}]`;
const text = documentOf(
  `  /orders:
    get: { operationId: listOrders, parameters: [{ name: limit, in: query, schema: { type: integer } }, { name: state, in: query, schema: { type: string } }], responses: { 200: { description: x, headers: { X-Total-Count: { schema: { type: integer } } }, ${json(`{ type: array, items: ${ref("Order")} }`)} } } }
    post: { operationId: addOrder, ${body(ref("NewOrder"))}, ${ok(ref("Order"), 201)} }
  /orders/{id}:
    x-resource: { owner: { member: buyer, unless: "orders:all" } }
    ${path("id")}
    get: { operationId: getOrder, ${ok(ref("Order"))} }
    put: { operationId: putOrder, ${body(ref("NewOrder"))}, ${ok(ref("Order"))} }
    delete: { operationId: removeOrder, responses: { 204: { description: x } } }
  /orders/{id}/lines:
    ${path("id")}
    get: { operationId: listLines, ${ok(`{ type: array, items: ${ref("Line")} }`)} }
    post: { operationId: addLine, ${body(ref("Line"))}, ${ok(ref("Line"), 201)} }
  /orders/{id}/lines/{line}:
    ${path("id", "line")}
    get: { operationId: getLine, ${ok(ref("Line"))} }
`,
  `security: [{ token: [] }]
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas:
    NewOrder: { type: object, properties: { state: { type: string }, buyer: { type: string } } }
    Order: { type: object, required: [id, buyer], properties: { id: { type: integer }, buyer: { type: string }, state: { type: string } } }
    Line: { type: object, properties: { id: { type: integer }, text: { type: string } } }
`,
);

for (const [name, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(`${name}: callers have only their own records, unless their credential has the scope`, async (t: Test) => {
    const app = await createServer({
      document: parse(text),
      resources: openStore(await newUrl(t)),
      logger: pino({ level: "silent" }),
      security: { token: async (id: string) => ({ id, scopes: id === "boss" ? ["orders:all"] : [] }) } as never,
    });
    t.teardown(() => app.close());
    const send = async (caller: string, method: string, url: string, payload?: object) => {
      const headers = { authorization: `Bearer ${caller}` };
      const response = await app.inject({ method: method as "GET", url, headers, ...(payload && { payload }) });
      const parsed = response.payload === "" ? undefined : response.json();
      return { status: response.statusCode, total: response.headers["x-total-count"], body: parsed };
    };
    const own = (await send("ada", "POST", "/orders", { state: "new", buyer: "eve" })).body;
    t.match(own, { state: "new", buyer: /^\d+$/ }, "a request can't choose the owner");
    const other = (await send("eve", "POST", "/orders", { state: "new" })).body;
    t.not(own.buyer, other.buyer);
    t.match(await send("ada", "GET", "/orders?state=new"), { total: "1", body: [own] });
    t.match(await send("ada", "GET", `/orders/${own.id}`), { status: 200, body: own });
    for (const [method, payload] of [["GET"], ["PUT", { state: "x" }], ["DELETE"]] as const)
      t.match(await send("ada", method, `/orders/${other.id}`, payload), {
        status: 404,
        body: { code: "order_not_found" },
      });
    t.match(await send("ada", "POST", `/orders/${other.id}/lines`, { text: "x" }), { status: 404 });
    t.match(await send("ada", "GET", `/orders/${other.id}/lines`), { status: 404 });
    t.match(await send("ada", "POST", `/orders/${own.id}/lines`, { text: "x" }), { status: 201 });
    t.match(await send("ada", "PUT", `/orders/${own.id}`, { state: "done", buyer: other.buyer }), {
      status: 200,
      body: { buyer: own.buyer },
    });
    t.match(await send("boss", "GET", "/orders"), { body: { length: 2 } });
    t.match(await send("boss", "PUT", `/orders/${other.id}`, { state: "sent" }), {
      status: 200,
      body: { buyer: other.buyer },
    });
    t.match(await send("eve", "GET", `/orders/${other.id}`), { body: { state: "sent" } });
    t.match(await send("eve", "DELETE", `/orders/${other.id}`), { status: 204 });
    t.match(await send("ada", "DELETE", `/orders/${own.id}`), { status: 204 });
    t.match(await send("boss", "GET", "/orders"), { body: { length: 0 } });
  });

t.test("An owner that not every caller can be is an error, since its records would be those of all", async (t) => {
  const message = /the property buyer of a record must be a text, an integer or a UUID that can have any caller/;
  for (const buyer of [
    { type: "boolean" },
    { type: "string", format: "email" },
    { type: "string", maxLength: 10 },
    { type: "integer", maximum: 1000 },
  ]) {
    const document = parse(text);
    document.components.schemas.Order.properties.buyer = buyer;
    await t.rejects(async () => planOf(await parseDocument(JSON.stringify(document))), message);
  }
  const nested = parse(text.replace("member: buyer", "member: buyer.id"));
  nested.components.schemas.Order.properties.buyer = { type: "object", properties: { id: { type: "string" } } };
  await t.rejects(async () => planOf(await parseDocument(JSON.stringify(nested))), /the property buyer.id of a record/);
});
