// Requests of several callers at once: each has only its own records.
import { pino } from "pino";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { createServer } from "../../src/index.ts";
import { openStore } from "../../src/resources/index.ts";
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
    get: { operationId: listOrders, ${ok(`{ type: array, items: ${ref("Order")} }`)} }
    post: { operationId: addOrder, ${body(ref("NewOrder"))}, ${ok(ref("Order"), 201)} }
  /orders/{id}:
    x-resource: { owner: buyer }
    ${path("id")}
    get: { operationId: getOrder, ${ok(ref("Order"))} }
    put: { operationId: putOrder, ${body(ref("NewOrder"))}, ${ok(ref("Order"))} }
    delete: { operationId: removeOrder, responses: { 204: { description: x } } }
  /shops:
    post: { operationId: addShop, ${body(ref("NewOrder"))}, ${ok(ref("Order"), 201)} }
  /shops/{shop}:
    ${path("shop")}
    get: { operationId: getShop, ${ok(ref("Order"))} }
  /shops/{shop}/books:
    ${path("shop")}
    get: { operationId: listBooks, ${ok(`{ type: array, items: ${ref("Order")} }`)} }
    post: { operationId: addBook, ${body(ref("NewOrder"))}, ${ok(ref("Order"), 201)} }
  /shops/{shop}/books/{id}:
    x-resource: { owner: buyer }
    ${path("shop", "id")}
    get: { operationId: getBook, ${ok(ref("Order"))} }
`,
  `security: [{ token: [] }]
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas:
    NewOrder: { type: object, properties: { state: { type: string } } }
    Order: { type: object, required: [id], properties: { id: { type: integer }, buyer: { type: string }, state: { type: string } } }
`,
);

for (const [name, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(`${name}: callers who send requests at once have only their own records`, async (t: Test) => {
    const app = await createServer({
      document: parse(text),
      resources: openStore(await newUrl(t)),
      logger: pino({ level: "silent" }),
      security: { token: async (id: string) => ({ id }) } as never,
    });
    t.teardown(() => app.close());
    const send = async (caller: string, method: string, url: string, payload?: object) => {
      const headers = { authorization: `Bearer ${caller}` };
      const response = await app.inject({ method: method as "GET", url, headers, ...(payload && { payload }) });
      const parsed = response.payload === "" ? undefined : response.json();
      return { status: response.statusCode, body: parsed };
    };
    const own = (await send("ada", "POST", "/orders", { state: "new" })).body;
    const changes = await Promise.all([
      send("ada", "PUT", `/orders/${own.id}`, { state: "mine" }),
      send("eve", "PUT", `/orders/${own.id}`, { state: "stolen" }),
      send("ada", "PUT", `/orders/${own.id}`, { state: "mine" }),
    ]);
    t.same(
      changes.map(({ status }) => status),
      [200, 404, 200],
    );
    t.match((await send("ada", "GET", `/orders/${own.id}`)).body, { state: "mine" });
    const [, stolen] = await Promise.all([
      send("ada", "PUT", `/orders/${own.id}`, { state: "mine" }),
      send("eve", "DELETE", `/orders/${own.id}`),
    ]);
    t.equal(stolen.status, 404);
    t.match(await send("ada", "GET", `/orders/${own.id}`), { status: 200 });
    const shop = (await send("ada", "POST", "/shops", { state: "new" })).body;
    const books = await Promise.all([
      send("ada", "POST", `/shops/${shop.id}/books`, { state: "ada" }),
      send("eve", "POST", `/shops/${shop.id}/books`, { state: "eve" }),
    ]);
    t.same(
      books.map(({ status }) => status),
      [201, 201],
    );
    t.match(await send("eve", "GET", `/shops/${shop.id}/books`), { body: [{ state: "eve" }] });
    t.match(await send("ada", "GET", `/shops/${shop.id}/books`), { body: [{ state: "ada" }] });
  });

for (const [name, newUrl] of [
  ["SQLite", async () => "sqlite::memory:"],
  ["PostgreSQL", emptyDatabase],
] as const)
  t.test(`${name}: each handler in a transaction has the async context of its own request`, async (t: Test) => {
    const { AsyncLocalStorage } = await import("node:async_hooks");
    const context = new AsyncLocalStorage<string>();
    const store = openStore(await newUrl(t));
    const app = await createServer({
      document: parse(text),
      resources: store,
      logger: pino({ level: "silent" }),
      security: { token: async (id: string) => ({ id }) } as never,
      wrap: (call, next, ctx) =>
        context.run((call.caller as { id: string }).id, () => store.transactional(call, next, ctx)),
      handlers: {
        addShop: async ({ caller }: { caller: { id: string } }) => ({
          status: 201,
          body: { id: 1, buyer: caller.id, state: context.getStore() },
        }),
      } as never,
    });
    t.teardown(() => app.close());
    const send = async (caller: string) => {
      const headers = { authorization: `Bearer ${caller}` };
      return (await app.inject({ method: "POST", url: "/shops", headers, payload: {} })).json();
    };
    for (const { buyer, state } of await Promise.all(["ada", "eve", "bob"].map(send))) t.equal(state, buyer);
  });
